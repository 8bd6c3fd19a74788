// index_put: elements that index tensors pick are set, or added to.
#include "dispatch/autocast.h"
#include "dispatch/tensor_args.h"
#include "rules/indexing.h"
#include "rules/one_device.h"
#include "rules/overlap.h"

namespace mt {
namespace {

constexpr auto placed = [](const Tensor& self, TensorList indices, const Tensor& values, bool accumulate) {
  check(self.dtype() == values.dtype(),
        "Index put requires the source and destination dtypes match, got {} for the destination and {} for the source.", self.dtype(),
        values.dtype());
  if (self.is_meta()) return;
  check_one_device(self, values);
  for (const Tensor& index : indices)
    if (index.defined()) check_expected_device(index, self.device());
  BelowAutograd guard;
  warn_of_expanded(self, "index_put_", "tensor[indices] = tensor");
  if (!accumulate && values.numel() == 1 && is_one_mask(self, indices) && self.device().is_cpu()) {
    op<"masked_fill_.Tensor">(self, indices[0], op<"view">(values, IntList()));
    return;
  }
  Tensor source = values;
  if (share_memory(self, values)) {
    source = empty(values.sizes(), values.dtype());
    copy_into(source, values);
  }
  index_put(advanced_index(self, indices, source), source, accumulate);
};
Tensor grad_values(const Tensor& g, TensorList indices) {
  if (indices.empty()) return g;
  return op<"index">(g, box_optional(indices));
}
Tensor grad_self(const Tensor& g, TensorList indices, bool accumulate) {
  if (accumulate) return g;
  Tensor zero = op<"zeros">(IntList(), g.dtype(), nullptr, g.device());
  return op<"index_put">(g, box_optional(indices), zero, false);
}
MT_OP(OpDef{
    .schema = {"index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)"},
    .forms = method | function,
    .doc = "Sets the elements that index tensors pick to `values` (broadcast), or adds them.",
    .cpu = placed,
    .npu = {"IndexPutImpl(self, indices, values, accumulate, 0)"},
    .meta = placed,
    .grad = {wrt("self",
                 [](Grad g, In<"indices", TensorList> i, In<"accumulate", bool> accumulate) { return grad_self(g, *i, *accumulate); }),
             wrt("values", [](Grad g, In<"indices", TensorList> i) { return grad_values(g, *i); })},
});
constexpr auto put_into_copy = [](const Tensor& self, TensorList indices, const Tensor& values, bool accumulate) -> Tensor {
  BelowAutograd guard;
  Tensor out = op<"clone">(self);
  op<"index_put_">(out, box_optional(indices), values, accumulate);
  return out;
};
MT_OP(OpDef{
    .schema = {"index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor"},
    .forms = method | function,
    .doc = "A copy of `self` with the picked elements set to `values`, or added to.",
    .cpu = put_into_copy,
    .npu = {any_device},
    .meta = put_into_copy,
    .autocast = on_npu(Autocast::promote),
    .grad = {wrt("self",
                 [](Grad g, In<"indices", TensorList> i, In<"accumulate", bool> accumulate) { return grad_self(g, *i, *accumulate); }),
             wrt("values", [](Grad g, In<"indices", TensorList> i) { return grad_values(g, *i); })},
});

}  // namespace
}  // namespace mt
