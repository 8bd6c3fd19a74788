// clone: a copy, dense in the layout of `self` unless a memory format is given.
#include "core/messages.h"
#include "rules/factory/factory.h"
#include "rules/sparse/sparse.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto clone_dense = [](const Tensor& self, std::optional<MemoryFormat> format) -> Tensor {
  Tensor out = empty_as(self, self.dtype(), self.device(), format);
  if (!self.is_meta()) copy_into(out, self);
  return out;
};

// Copies the components; the copy is coalesced if the original is.
constexpr auto clone_sparse = [](const Tensor& self, std::optional<MemoryFormat> format) -> Tensor {
  check(!format, messages::unsupported_memory_format_option, name_of(*format));
  BelowAutograd guard;
  return make_sparse(self.sizes(), map_components(self, [](const Tensor& part) { return op<"clone">(part); }));
};

MT_OP(OpDef{
    .schema = {"clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor"},
    .forms = function | method,
    .doc = R"(Returns a copy of `self` that autograd differentiates: gradients flow back to `self`.

With the default memory format the strides follow those of `self` where it is dense and without
overlaps; otherwise the copy is contiguous. ``self.detach().clone()`` copies without history.

Args:
    self (Tensor): tensor of any layout.

Returns:
    Tensor: a new tensor with the shape, dtype and device of `self`.

Example:
    >>> x = torch.tensor([1, 2])
    >>> y = torch.clone(x)
    >>> y[0] = 9
    >>> x
    tensor([1, 2]))",
    .cpu = clone_dense,
    .npu = {any_device},
    .meta = clone_dense,
    .sparse = clone_sparse,
    .compressed = clone_sparse,
    .grad = {wrt("self", [](Grad g) { return Tensor(g); })},
    .batch = batch_leading,
});

}  // namespace
}  // namespace mt
