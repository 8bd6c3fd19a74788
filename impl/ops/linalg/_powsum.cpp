// linalg__powsum: the sum of powers whose root a vector norm is; sums of several parts can be added.
#include "rules/norm.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"linalg__powsum(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
               "dtype=None) -> Tensor"},
    .forms = function,
    .doc = "The sum of |self|**ord over `dim`.",
    .module = "linalg",
    .composite = [](const Tensor& self, Scalar ord, std::optional<IntList> dim, bool keepdim,
                    std::optional<Dtype> dtype) -> Tensor {
      check_floating("linalg._powsum", self);
      if (dtype) check_norm_dtype("linalg._powsum", *dtype, self.dtype());
      const Tensor sizes = op<"abs">(dtype ? op<"to.dtype">(self, *dtype) : self);
      return op<"sum.dim_IntList">(op<"pow">(sizes, ord), dim ? Dims(*dim) : Dims(), keepdim);
    },
});

}  // namespace
}  // namespace mt
