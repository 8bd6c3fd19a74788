// _sparse_log_softmax: log_softmax over the stored elements of each line of a sparse_coo tensor.
#include "rules/sparse/sparse_softmax.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_sparse_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
               "_sparse_log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes log_softmax along `dim`, as if elements that are not stored were minus infinity.

torch.sparse.log_softmax of a sparse_coo tensor; the result stores the same elements.

Args:
    self (Tensor): sparse_coo tensor of a floating dtype.
    dim (int): dimension whose elements are normalised together.
    half_to_float (bool): whether float16 input gives float32; for devices, ``False`` on the CPU.
    dtype (torch.dtype, optional): dtype that `self` is converted to first. Default: ``None``.

Returns:
    Tensor: sparse_coo, shape of `self`.

Example:
    >>> x = torch.tensor([[1.0, 2.0], [3.0, 0.0]]).to_sparse()
    >>> torch.sparse.log_softmax(x, 1).to_dense()
    tensor([[-1.3133, -0.3133],
            [ 0.0000,  0.0000]]))",
    .module = "sparse",
    .sparse = [](const Tensor& self, int64_t dim, bool half_to_float) -> Tensor {
      return sparse_softmax(self, dim, half_to_float, /*log=*/true);
    },
    .grad = {wrt("self", [](Grad g, Out<"result"> y, In<"dim", int64_t> dim,
                            In<"self"> self) { return op<"_sparse_log_softmax_backward_data">(g, y, *dim, self); })},
    .overloads = {overload("int", {.composite = [](const Tensor& self, int64_t dim, std::optional<Dtype> dtype) -> Tensor {
                             return op<"_sparse_log_softmax">(dtype ? op<"to.dtype">(self, *dtype) : self, dim, false);
                           }})},
});

MT_OP(OpDef{
    .schema = {"_sparse_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, Tensor self) -> Tensor"},
    .forms = function,
    .doc = "Computes the gradient of ``_sparse_log_softmax``.",
    .sparse = [](const Tensor& grad, const Tensor& output, int64_t dim, const Tensor& self) -> Tensor {
      return sparse_softmax_backward(grad, output, dim, self, /*log=*/true);
    },
});

}  // namespace
}  // namespace mt
