// masked_scatter: `self` with the elements of `source`, in order, where `mask` is true.
#include "core/dispatch_dtype.h"
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/form/overlap.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

constexpr auto check_mask = [](const Tensor& mask) {
  if (mask.dtype() == Dtype::uint8)
    warn(
        "masked_scatter_ received a mask with dtype torch.uint8, this behavior is now deprecated,please use a mask with dtype "
        "torch.bool instead.");
  check(mask.dtype() == Dtype::boolean, "masked_scatter_ only supports boolean masks, but got mask with dtype {}", mask.dtype());
};
void check_scatter(const Call& call) {
  if (call.op.form != Form::inplace) return;
  check_no_internal_overlap(Unbox<Tensor>::from(call.args[0]));
  op<"expand">(Unbox<Tensor>::from(call.args[1]), Unbox<Tensor>::from(call.args[0]).sizes());
}
constexpr auto compute_masked_scatter = [](const Tensor& self, const Tensor& mask, const Tensor& source) -> Tensor {
  Dims sizes = broadcast_shapes(mask.sizes(), self.sizes());
  check(self.dtype() == source.dtype(), "masked_scatter: expected self and source to have same dtypes but got{} and {}", self.dtype(),
        source.dtype());
  check_mask(mask);
  Tensor out = empty(sizes, self.dtype(), self.device());
  if (out.is_meta()) return out;
  if (!out.device().is_cpu()) {
    BelowAutograd guard;
    const Tensor spread = op<"expand">(mask, sizes), places = op<"nonzero">(op<"reshape">(spread, IntList{-1}));
    check(places.size(0) <= source.numel(), messages::masked_scatter_source_too_small);
    const Tensor flat = op<"reshape">(op<"expand">(self, sizes), IntList{-1});
    const Tensor taken = op<"narrow">(op<"reshape">(source, IntList{-1}), 0, 0, places.size(0));
    return op<"view">(op<"scatter.src">(flat, 0, op<"view">(places, IntList{-1}), taken), sizes);
  }
  Tensor m = empty(sizes, Dtype::boolean);
  copy_into(out, self);
  copy_into(m, mask);
  const Tensor from = dense(source);
  const auto* const p = reinterpret_cast<const uint8_t*>(m.data<bool>());  // a bool may be any byte, as in a view of other memory
  int64_t ones = 0;
  for (int64_t i = 0; i < m.numel(); ++i) ones += p[i] != 0;
  check(ones <= from.numel(), messages::masked_scatter_source_too_small);
  dispatch_by_size(self.itemsize(), [&]<class T>(Type<T>) {
    T* to = out.data<T>();
    const T *next = from.data<T>(), *const last = next + ones;
    for (int64_t i = 0; next < last; ++i) {  // no branch on the mask, which may be random
      const T either[] = {to[i], *next};
      to[i] = either[p[i] != 0];
      next += p[i] != 0;
    }
  });
  return out;
};

MT_OP(OpDef{
    .schema = {"masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor"},
    .forms = function | method | inplace,
    .doc = R"(Replaces the elements under `mask` by those of `source`, one after another.

The elements of `source` are taken in its own order, not at the positions of the mask. `mask` is
broadcast to `self`.

Args:
    self (Tensor): tensor to write to.
    mask (Tensor): bools; broadcastable with `self`.
    source (Tensor): dtype of `self`; at least as many elements as the mask has true ones.

Returns:
    Tensor: a new tensor; the in-place form returns `self`.

Raises:
    RuntimeError: when dtypes differ, `mask` is not bool, or `source` has too few elements.

Example:
    >>> x, mask = torch.zeros(4), torch.tensor([False, True, False, True])
    >>> x.masked_scatter(mask, torch.tensor([1.0, 2.0, 3.0]))
    tensor([0., 1., 0., 2.]))",
    .rule = rule_after_check(check_scatter),
    .cpu = compute_masked_scatter,
    .npu = {any_device},
    .meta = compute_masked_scatter,
    .grad = {wrt("self", [](Grad g, In<"mask"> mask) { return op<"masked_fill">(g, mask, 0); }),
             wrt("source",
                 [](Grad g, In<"mask"> mask, MetaOf<"source"> source) {
                   Tensor picked = op<"masked_select">(g, mask);
                   const int64_t rest = product(source.sizes) - picked.numel();
                   Tensor zeros = op<"new_zeros">(g, IntList{rest});
                   return op<"view">(op<"cat">(std::vector<Tensor>{picked, zeros}, 0), source.sizes);
                 })},
});

}  // namespace
}  // namespace mt
