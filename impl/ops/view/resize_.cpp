// resize_ and resize_as_: another shape in place; the storage grows if it is too small.
#include "autograd/forward.h"
#include "autograd/meta.h"
#include "core/messages.h"
#include "definition/op.h"
#include "rules/form/determinism.h"
#include "rules/sparse/sparse.h"
#include "rules/sparse/sparse_compressed_math.h"

namespace mt {
namespace {

// A separate operator, since a change of shape must increment the tensor's version.
MT_OP(OpDef{
    .schema = {"_resize_(Tensor(a!) self, SymInt[] size, MemoryFormat memory_format) -> Tensor(a!)"},
    .forms = internal,
    .doc = "Gives `self` another shape in place, as a version of it that autograd counts.",
    .cpu =
        [](const Tensor& self, IntList size, MemoryFormat format) {
          const int64_t stored = self->storage->nbytes / self.itemsize();
          resize_to(self, size, format);
          const int64_t added = self->storage->nbytes / self.itemsize() - stored;
          if (added > 0) fill_new_memory(alias(self, IntList{added}, IntList{1}, stored, false));
        },
    .npu = {any_device},
    .meta = [](const Tensor& self, IntList size, MemoryFormat format) { resize_to(self, size, format); },
    .grad = not_differentiable,
});

constexpr auto compute_resize = [](const Tensor& self, IntList size, std::optional<MemoryFormat> format) {
  check(thread_state.inference_mode || !requires_grad(self), "cannot resize variables that require grad");
  check(!has_tangent(self), "cannot resize variables that has a forward grad");
  for (int64_t s : size) check(s >= 0, messages::numel_overflow);
  static_cast<void>(product(size));  // raises on overflow
  check(format != MemoryFormat::preserve, "Unsupported memory formatPreserve");
  if (self.sizes() == size && !format) return;  // strides stay too
  op<"_resize_">(self, size, format.value_or(MemoryFormat::contiguous));
};
MT_OP(OpDef{
    .schema = {"resize_(Tensor(a!) self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor(a!)"},
    .forms = method,
    .doc = R"(Gives `self` another shape in place; the storage grows where it is too small.

Elements keep their order in the storage, as if `self` had been contiguous; what the shape adds
holds no defined values. The storage never shrinks. It is a tool for buffers: ``reshape`` and
``view`` change a shape safely.

Args:
    self (Tensor): tensor that does not require a gradient.
    size (int...): the new sizes, as separate numbers or one tuple; not negative.
    memory_format (torch.memory_format, optional): order of the new strides. Default: contiguous.

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when `self` requires a gradient or a size is negative.

Example:
    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> x.resize_(3)
    tensor([1, 2, 3]))",
    .sparse = [](const Tensor&, IntList, std::optional<MemoryFormat>) { refuse_sparse("resize_"); },
    .compressed = [](const Tensor& self, IntList size, std::optional<MemoryFormat>) -> Tensor {
      resize_compressed(self, size);
      return self;
    },
    .composite = compute_resize,
});
MT_OP(OpDef{
    .schema = {"resize_as_(Tensor(a!) self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor(a!)"},
    .forms = function | method,
    .doc = R"(Gives `self` the shape of `the_template`, in place.

It is ``self.resize_(the_template.size())``: elements keep their order in the storage, and what the
shape adds holds no defined values.

Args:
    self (Tensor): tensor that does not require a gradient.
    the_template (Tensor): tensor whose shape is taken.
    memory_format (torch.memory_format, optional): order of the new strides;
        ``torch.preserve_format`` takes that of `the_template`. Default: contiguous.

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when `self` requires a gradient.

Example:
    >>> torch.arange(6).resize_as_(torch.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]]))",
    .composite =
        [](const Tensor& self, const Tensor& the_template, std::optional<MemoryFormat> format) {
          if (is_sparse(self) && is_sparse(the_template)) return void(op<"resize_as_sparse_">(self, the_template));
          if (is_compressed(self.layout())) return resize_compressed(self, the_template.sizes());
          if (is_sparse(self)) refuse_sparse("resize_");
          if (format == MemoryFormat::preserve) format = the_template.suggested_memory_format();
          compute_resize(self, the_template.sizes(), format);
        },
});

}  // namespace
}  // namespace mt
