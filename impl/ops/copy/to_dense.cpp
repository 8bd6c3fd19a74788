// to_dense: the elements of a tensor of any layout as a strided tensor, optionally in another dtype.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"to_dense(Tensor self, ScalarType? dtype=None, *, bool? masked_grad=None) -> Tensor"},
    .forms = method,
    .doc = R"(Returns a strided tensor with the elements of `self`; `self` itself where it is strided.

Args:
    self (Tensor): tensor of any layout.
    dtype (torch.dtype, optional): Default: that of `self`.
    masked_grad (bool, optional): whether the gradient of a sparse `self` keeps only the elements
        that it stores; with ``False`` it has all. Default: ``True``.

Returns:
    Tensor: a strided tensor.

Example:
    >>> torch.sparse_coo_tensor([[0, 2]], [3.0, 4.0], (3,)).to_dense()
    tensor([3., 0., 4.]))",
    .composite = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<bool> masked_grad) -> Tensor {
      if (self.layout() != Layout::strided) return op<"_to_dense">(self, dtype, masked_grad);
      return dtype && *dtype != self.dtype() ? op<"to.dtype">(self, *dtype) : self;
    },
});

}  // namespace
}  // namespace mt
