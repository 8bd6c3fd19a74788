// fliplr: a copy with the second dimension reversed.
#include "rules/algebra.h"
#include "rules/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fliplr(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = "A copy with the second dimension reversed.",
    .composite = [](const Tensor& self) -> Tensor {
      check(self.dim() >= 2, "Input must be >= 2-d.");
      return op<"flip">(self, IntList{1});
    },
});

}  // namespace
}  // namespace mt
