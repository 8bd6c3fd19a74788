// view: another shape over the same memory.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/form/reshaped.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto reshape_tensor = [](const Tensor& self, IntList size) -> Tensor {
  Dims sizes = infer_size(size, self.numel());
  auto strides = view_strides(self.sizes(), self.strides(), sizes);
  check(strides.has_value(), messages::view_size_incompatible);
  return reshaped(self, sizes, *strides, self.storage_offset());
};

MT_OP(OpDef{
    .schema = {"view(Tensor(a) self, SymInt[] size) -> Tensor(a)"},
    .forms = method,
    .doc = R"(Returns the same elements in another shape, always as a view.

The elements keep their order. The strides must allow it: a contiguous tensor always does; otherwise
the new dimensions may split old ones, or join neighbours that follow each other in memory.
``Tensor.reshape`` copies where no view exists. With a dtype instead of sizes the bytes are read as
that dtype.

Args:
    self (Tensor): tensor of any shape.
    size (int...): the new sizes, as separate numbers or one tuple; one may be -1 and follows from
        the others.

Returns:
    Tensor: a view that shares memory with `self`.

Raises:
    RuntimeError: when the sizes do not multiply to the number of elements or no view has them.

Example:
    >>> x = torch.arange(6)
    >>> y = x.view(2, -1)
    >>> y[0, 0] = 9
    >>> x
    tensor([9, 1, 2, 3, 4, 5]))",
    .view = reshape_tensor,
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self) { return op<"reshape">(g, self.sizes); })},
    .batch = batch_sized,
});

}  // namespace
}  // namespace mt
