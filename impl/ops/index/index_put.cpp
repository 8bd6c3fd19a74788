// index_put: sets elements that index tensors pick, or adds to them.
#include "dispatch/tensor_args.h"
#include "rules/form/one_device.h"
#include "rules/form/overlap.h"
#include "rules/index/indexing.h"

namespace mt {
namespace {

constexpr auto put_elements = [](const Tensor& self, TensorList indices, const Tensor& values, bool accumulate) {
  auto check_dtype = [&] {
    check(self.dtype() == values.dtype(),
          "Index put requires the source and destination dtypes match, got {} for the destination and {} for the source.", self.dtype(),
          values.dtype());
  };
  if (self.is_meta()) return check_dtype();
  check_one_device(self, values);
  for (const Tensor& index : indices)
    if (index.defined()) check_expected_device(index, self.device());
  BelowAutograd guard;
  warn_of_expanded(self, "index_put_", "tensor[indices] = tensor");
  if (!accumulate && values.numel() == 1 && is_single_mask(self, indices) && self.device().is_cpu()) {  // of any dtype
    Tensor value = op<"view">(values, IntList());
    if (value.dtype() != self.dtype()) value = op<"to.dtype">(value, self.dtype());
    op<"masked_fill_.Tensor">(self, indices[0], value);
    return;
  }
  check_no_overlap(self, values);
  for (const Tensor& index : indices)
    if (index.defined()) check_no_overlap(self, index);
  // check_no_overlap does not detect every overlap of tensors with gaps: values in the memory of `self` are copied first.
  Tensor source = values;
  if (share_memory(self, values)) {
    source = empty(values.sizes(), values.dtype());
    copy_into(source, values);
  }
  AdvancedIndex places = advanced_index(self, indices, source);  // raises for shapes before dtypes
  check_dtype();
  index_put(std::move(places), source, accumulate);
};
Tensor grad_for_values(const Tensor& g, TensorList indices) {
  if (indices.empty()) return g;
  return op<"index">(g, box_optional(indices));
}
Tensor grad_for_self(const Tensor& g, TensorList indices, bool accumulate) {
  if (accumulate) return g;
  Tensor zero = op<"new_zeros">(g, IntList());
  return op<"index_put">(g, box_optional(indices), zero, false);
}
MT_OP(OpDef{
    .schema = {"index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)"},
    .forms = method | function,
    .doc = R"(Sets the elements of `self` that index tensors pick to `values`, in place, or adds them.

It is ``self[indices] = values``. Index tensors are broadcast against each other; negative indices
count from the end; a bool mask stands for the indices of its true elements. An element that is
picked several times takes every value with `accumulate`; otherwise which of them stays is not
defined.

Args:
    self (Tensor): tensor to write to.
    indices (tuple of Tensor): one index tensor (int64, int32, uint8 or bool) for each of the first
        dimensions; ``None`` for a full slice.
    values (Tensor): dtype of `self`, in a shape that broadcasts to that of ``self[indices]``.
    accumulate (bool): whether `values` are added. Default: ``False``.

Returns:
    Tensor: `self`.

Raises:
    IndexError: when an index is out of range or there are too many.
    RuntimeError: when dtypes differ or `values` does not broadcast.

Example:
    >>> x = torch.zeros(3)
    >>> x.index_put_((torch.tensor([0, 2, 2]),), torch.tensor([1.0, 2.0, 3.0]), accumulate=True)
    tensor([1., 0., 5.]))",
    .cpu = put_elements,
    .npu = {"IndexPutImpl(self, indices, values, accumulate, 0)"},
    .meta = put_elements,
    .grad = {wrt("self",
                 [](Grad g, In<"indices", TensorList> i, In<"accumulate", bool> accumulate) { return grad_for_self(g, *i, *accumulate); }),
             wrt("values", [](Grad g, In<"indices", TensorList> i) { return grad_for_values(g, *i); })},
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
    .doc = R"(Returns a copy of `self` with the elements that index tensors pick set to `values`, or added to.

The rules are those of ``Tensor.index_put_``. The gradient of `self` is zero at the picked elements
(unless values are added), that of `values` is what was picked.

Args:
    self (Tensor): tensor to copy.
    indices (tuple of Tensor): one index tensor (int64, int32, uint8 or bool) for each of the first
        dimensions; ``None`` for a full slice.
    values (Tensor): dtype of `self`, in a shape that broadcasts to that of ``self[indices]``.
    accumulate (bool): whether `values` are added. Default: ``False``.

Returns:
    Tensor: a new tensor with the shape of `self`.

Raises:
    IndexError: when an index is out of range or there are too many.
    RuntimeError: when dtypes differ or `values` does not broadcast.

Example:
    >>> torch.index_put(torch.zeros(3), (torch.tensor([-1]),), torch.tensor(4.0))
    tensor([0., 0., 4.]))",
    .cpu = put_into_copy,
    .npu = {any_device},
    .meta = put_into_copy,
    .autocast = on_npu(Autocast::promote),
    .grad = {wrt("self",
                 [](Grad g, In<"indices", TensorList> i, In<"accumulate", bool> accumulate) { return grad_for_self(g, *i, *accumulate); }),
             wrt("values", [](Grad g, In<"indices", TensorList> i) { return grad_for_values(g, *i); })},
});

}  // namespace
}  // namespace mt
