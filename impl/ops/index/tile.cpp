// tile: as repeat; missing leading counts are 1.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"tile(Tensor self, SymInt[] dims) -> Tensor"},
    .forms = function | method,
    .doc = "As repeat; missing leading counts are 1.",
    .composite = [](const Tensor& self, IntList dims) -> Tensor {
      Dims counts(dims);
      while (counts.size() < self.dim()) counts.insert(0, 1);
      return op<"repeat">(self, counts);
    },
});

}  // namespace
}  // namespace mt
