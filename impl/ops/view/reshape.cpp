// reshape: another shape, as a view if possible, otherwise as a copy.
#include "core/sparse.h"
#include "rules/form/algebra.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto reshape_tensor = [](const Tensor& self, IntList shape) -> Tensor {
  if (is_compressed(self.layout())) fail_for_contiguity(self);
  check(!is_sparse(self), "reshape is not implemented for sparse tensors");
  Dims sizes = infer_size(shape, self.numel());
  if (self.is_contiguous()) return op<"view">(self, shape);
  if (const auto strides = view_strides(self.sizes(), self.strides(), sizes)) return op<"_reshape_alias">(self, sizes, *strides);
  return op<"_unsafe_view">(op<"clone">(self, MemoryFormat::contiguous), sizes);
};

MT_OP(OpDef{
    .schema = {"reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)"},
    .forms = function | method,
    .doc = R"(Returns the same elements in another shape: a view where one exists, otherwise a copy.

The elements keep their order, last dimension fastest. A view exists for a contiguous tensor, and
wherever the new dimensions only split old ones or join such as follow each other in memory. Do not
rely on which of the two comes back; ``Tensor.view`` never copies.

Args:
    self (Tensor): tensor of any shape.
    shape (tuple of int): the new sizes; one of them may be -1 and follows from the others. The
        method takes them as separate numbers too.

Returns:
    Tensor: the elements in the new shape.

Raises:
    RuntimeError: when the sizes do not multiply to the number of elements.

Example:
    >>> torch.reshape(torch.arange(6), (2, -1))
    tensor([[0, 1, 2],
            [3, 4, 5]]))",
    .composite = reshape_tensor,
});

}  // namespace
}  // namespace mt
