// linalg__powsum: the sum of powers whose root is a vector norm; partial sums can be added.
#include "rules/reduction/norm.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"linalg__powsum(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
               "dtype=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the sum of |x|^`ord` along `dim`, of which `torch.linalg.vector_norm` takes the root.

Sums of several parts of a vector can be added before the root is taken.

Args:
    self (Tensor): any shape; floating or complex.
    ord (number): the power. Default: ``2``.
    dim (int or tuple of ints, optional): the dimensions to reduce. Default: all.
    dtype (torch.dtype, optional): computes in this dtype. Default: ``None``.

Returns:
    Tensor: without the reduced dimensions; real.

Example:
    >>> torch.ops.aten.linalg__powsum(torch.tensor([3.0, 4.0]))
    tensor(25.))",
    .module = "linalg",
    .composite = [](const Tensor& self, Scalar ord, std::optional<IntList> dim, bool keepdim, std::optional<Dtype> dtype) -> Tensor {
      check_floating("linalg._powsum", self);
      if (dtype) check_norm_dtype("linalg._powsum", *dtype, self.dtype());
      const Tensor sizes = op<"abs">(dtype ? op<"to.dtype">(self, *dtype) : self);
      return op<"sum.dim_IntList">(op<"pow">(sizes, ord), dim ? Dims(*dim) : Dims(), keepdim);
    },
});

}  // namespace
}  // namespace mt
