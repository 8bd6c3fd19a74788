// glu: the first half of `dim` times the sigmoid of the second.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"glu(Tensor self, int dim=-1) -> Tensor"},
    .forms = function | out,
    .doc = "The first half of `dim` times the sigmoid of the second.",
    .module = "nn",
    .composite = [](const Tensor& self, int64_t dim) -> Tensor {
      check(self.dim() > 0, "glu does not support 0-dimensional tensors");
      const int64_t d = wrap_dim(dim, self.dim()), n = self.size(d);
      check(n % 2 == 0, "Halving dimension must be even, but dimension {} is size {}", d, n);
      return op<"narrow">(self, d, 0, n / 2) * op<"sigmoid">(op<"narrow">(self, d, n / 2, n / 2));
    },
});

}  // namespace
}  // namespace mt
