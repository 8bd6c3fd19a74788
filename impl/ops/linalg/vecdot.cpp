// linalg_vecdot: the inner products of vectors along a dimension, the first ones conjugated.
#include "rules/linalg/linalg.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes inner products of vectors along `dim`: the sum of conj(`x`) * `y`.

The tensors broadcast, and have the same dtype.

Args:
    x, y (Tensor): floating or complex.
    dim (int): the dimension to sum over. Default: ``-1``.

Returns:
    Tensor: the broadcast shape without `dim`.

Raises:
    RuntimeError: when the dtypes differ or are not floating.

Example:
    >>> torch.linalg.vecdot(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, 1.0]))
    tensor([3., 7.]))",
    .module = "linalg",
    .composite = [](const Tensor& x, const Tensor& y, int64_t dim) -> Tensor {
      check_floating("linalg.vecdot", x);
      check(x.dtype() == y.dtype(),
            "linalg.vecdot: Expected x and y to have the same dtype, but found x of type {} and y of type {} instead", x.dtype(),
            y.dtype());
      if (x.dim() == 1 && y.dim() == 1) return op<"vdot">(x, y);
      return op<"sum.dim_IntList">(conj(x) * y, IntList{dim});
    },
    .out_policy =
        OutPolicy{.dtype_error = "linalg.vecdot: Expected out of dtype{} but found {}",
                  .device_error =
                      "linalg.vecdot: Expected result and input tensors to be on the same device, but got result on {0} and input on {1}",
                  .recorded_as = "vdot"},
});

}  // namespace
}  // namespace mt
