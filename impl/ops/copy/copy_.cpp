// copy_: copies elements from another tensor.
#include "core/backend.h"
#include "core/messages.h"
#include "rules/factory/factory.h"
#include "rules/form/type_text.h"
#include "rules/pointwise/conversion.h"
#include "rules/sparse/sparse.h"
#include "rules/sparse/sparse_compressed_math.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto copy_elements = [](const Tensor& self, const Tensor& src, bool non_blocking) {
  check(src.defined(), "source tensor is undefined");
  if (self.sizes() != src.sizes()) {
    Dims sizes = broadcast_shapes(self.sizes(), src.sizes());
    check(self.sizes() == IntList(sizes), messages::output_does_not_match_broadcast_shape, self.sizes(), sizes);
  }
  check(!src.is_meta() || self.is_meta(), ErrorKind::not_implemented, messages::copy_out_of_meta_tensor);
  if (self.get() == src.get() || self.is_meta()) return;
  check_no_internal_overlap(self);
  check_no_partial_overlap(self, src);
  warn_of_discarded_parts(self.dtype(), src.dtype());
  if (self.device() == src.device())
    copy_into(self, src);
  else
    copy_between_devices(self, src, non_blocking);
};

constexpr auto copy_sparse_into = [](const Tensor& self, const Tensor& src, bool) -> Tensor {
  check(is_sparse(self) && is_sparse(src),
        "copy_() between dense and sparse Tensors is not implemented! Found self type = {} and src type = {}", tensor_type_text(self),
        tensor_type_text(src));
  copy_sparse(self, src);
  return self;
};

void batch_copy_into(const BatchCall& c) {
  check_written_is_batched(c, 0, "inplace arithmetic");
  batch_aligned(c);
}

MT_OP(OpDef{
    .schema = {"copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)"},
    .forms = method,
    .doc = R"(Copies the elements of `src` into `self`, in place, converting dtype and device.

`src` is broadcast to the shape of `self`. A complex source loses its imaginary parts, with a
warning; floating numbers round towards zero in integers. The gradient passes to `src`.

Args:
    self (Tensor): tensor to write to.
    src (Tensor): elements to copy.

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when `src` does not broadcast, elements of `self` share memory, or one tensor is
        sparse and the other is not.

Example:
    >>> torch.zeros(2, 2).copy_(torch.tensor([1, 2]))
    tensor([[1., 2.],
            [1., 2.]]))",
    .cpu = copy_elements,
    .npu = {any_device},
    .meta = copy_elements,
    .sparse = copy_sparse_into,
    .compressed = [](const Tensor& self, const Tensor& src, bool) -> Tensor {
      copy_compressed(self, src);
      return self;
    },
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); }), wrt("src", [](Grad g) { return Tensor(g); })},
    .grad_name = "CopyBackwards",
    .batch = batch_copy_into,
});
constexpr auto compute_copy = [](const Tensor& self, const Tensor& src, bool non_blocking) -> Tensor {
  Tensor out = empty_as(self, self.dtype(), self.device(), MemoryFormat::preserve);
  copy_elements(out, src, non_blocking);
  return out;
};

void batch_copy(const BatchCall& c) {
  c.set_result(0, op<"copy">(c.expanded(c.tensor(0)), c.padded(c.tensor(1), c.tensor(0).dim()), Unbox<bool>::from(c.args[2])));
}

MT_OP(OpDef{
    .schema = {"copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor"},
    .doc = "Returns `src` with the shape, dtype and device of `self`: ``copy_`` without a write into `self`.",
    .cpu = compute_copy,
    .npu = {any_device},
    .meta = compute_copy,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); }), wrt("src", [](Grad g) { return Tensor(g); })},
    .grad_name = "CopyBackwards",
    .batch = batch_copy,
});

}  // namespace
}  // namespace mt
