// flipud: a copy with the first dimension reversed.
#include "rules/algebra.h"
#include "rules/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"flipud(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = "A copy with the first dimension reversed.",
    .composite = [](const Tensor& self) -> Tensor {
      check(self.dim() >= 1, "Input must be >= 1-d.");
      return op<"flip">(self, IntList{0});
    },
});

}  // namespace
}  // namespace mt
