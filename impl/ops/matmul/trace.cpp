// trace: the sum of a matrix's diagonal.
#include <algorithm>
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"trace(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = "The sum of a matrix's diagonal.",
    .composite = [](const Tensor& self) -> Tensor {
      check(self.dim() == 2, "trace: expected a matrix, but got tensor with dim {}", self.dim());
      return op<"sum">(op<"diagonal">(self));
    },
    .autocast = Autocast::fp32,
});

}  // namespace
}  // namespace mt
