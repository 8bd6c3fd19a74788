// masked_select: the elements where `mask` is true, as a vector.
#include "core/dispatch_dtype.h"
#include "rules/form/algebra.h"
#include "rules/index/picks.h"
#include "rules/reduction/rows.h"
#include "vmap/rule.h"

namespace mt {
namespace {

Tensor broadcast_to_contiguous(const Tensor& t, IntList sizes) {
  if (t.sizes() == sizes) return dense(t);
  Tensor out = empty(sizes, t.dtype());
  copy_into(out, t);
  return out;
}

[[noreturn]] void refuse_vmap(const BatchCall&) {
  fail(
      "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because for each batch this would "
      "return a "
      "differently shaped Tensor. Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature.");
}

MT_OP(OpDef{
    .schema = {"masked_select(Tensor self, Tensor mask) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Returns the elements where `mask` is true, as a new vector, last dimension fastest.

`self` and `mask` are broadcast against each other. The length depends on the values, so it cannot
run on meta tensors.

Args:
    self (Tensor): tensor to read.
    mask (Tensor): bools; broadcastable with `self`.

Returns:
    Tensor: a vector in the dtype of `self`.

Raises:
    RuntimeError: when `mask` is not bool or shapes do not broadcast.

Example:
    >>> x = torch.tensor([[1, -2], [-3, 4]])
    >>> torch.masked_select(x, x > 0)
    tensor([1, 4]))",
    .cpu = [](const Tensor& self, const Tensor& mask) -> Tensor {
      check(mask.dtype() == Dtype::boolean, "masked_select: expected BoolTensor for mask");
      Dims sizes = broadcast_shapes(mask.sizes(), self.sizes());
      if (!self.device().is_cpu()) {
        BelowAutograd guard;
        if (sizes.empty()) sizes.push_back(1);
        const Tensor index[] = {op<"expand">(mask, sizes)};
        return op<"reshape">(op<"index.Tensor">(op<"expand">(self, sizes), list_value(MT_TAG_OPTIONAL_TENSORS, index, 1)), IntList{-1});
      }
      const Tensor x = broadcast_to_contiguous(self, sizes), m = broadcast_to_contiguous(mask, sizes);
      const MaskSelection picks(m.data<bool>(), m.numel());
      Tensor out = empty({picks.count()}, self.dtype());
      dispatch_by_size(self.itemsize(), [&]<class T>(Type<T>) {
        picks.for_pieces([&, from = x.data<T>()](int64_t begin, int64_t end, int64_t place) {
          write_selected(picks.mask, begin, end, out.data<T>() + place, [from](int64_t i) { return from[i]; });
        });
      });
      return out;
    },
    .npu = {any_device},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> self, In<"mask"> mask) {
                   Dims sizes = broadcast_shapes(self.sizes(), mask.sizes());
                   return op<"masked_scatter">(op<"new_zeros">(g, sizes), mask, g);
                 })},
    .out_policy = OutPolicy{.dtype_error = "masked_select(): self and result must have the same scalar type", .refuses_overlap = true},
    .batch = refuse_vmap,
});

}  // namespace
}  // namespace mt
