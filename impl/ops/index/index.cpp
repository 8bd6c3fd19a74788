// index and index_put: elements picked or set by index tensors.
#include "rules/indexing.h"

namespace mt {
namespace {

constexpr auto picked = [](const Tensor& self, TensorList indices) -> Tensor {
  if (self.is_meta())
    for (const Tensor& t : indices)
      check(!t.defined() || (t.dtype() != Dtype::boolean && t.dtype() != Dtype::uint8), ErrorKind::not_implemented,
            "aten::nonzero: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel registered for this operator.");
  BelowAutograd guard;
  return index_get(advanced_index(self, indices));
};
MT_OP(OpDef{
    .schema = {"index.Tensor(Tensor self, Tensor?[] indices) -> Tensor"},
    .forms = internal | out,
    .doc = "The elements that index tensors (None: a full slice) pick, with NumPy's rules of advanced indexing.",
    .cpu = picked,
    .npu = {"Index"},
    .meta = picked,
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"indices", TensorList> indices) {
      Tensor zeros = op<"zeros">(self.sizes, g.dtype(), nullptr, g.device());
      return op<"index_put">(zeros, list_value(MT_TAG_OPTIONAL_TENSORS, (*indices).data, (*indices).size()), g, true);
    })},
});

constexpr auto placed = [](const Tensor& self, TensorList indices, const Tensor& values, bool accumulate) {
  check(self.dtype() == values.dtype(), "Index put requires the source and destination dtypes match, got {} for the destination and {} for the source.",
        self.dtype(), values.dtype());
  if (self.is_meta()) return;
  BelowAutograd guard;
  check_no_internal_overlap(self);
  Tensor source = values;
  if (share_memory(self, values)) {
    source = empty(values.sizes(), values.dtype());
    copy_into(source, values);
  }
  index_put(advanced_index(self, indices), source, accumulate);
};
Tensor grad_values(const Tensor& g, TensorList indices) { return op<"index">(g, list_value(MT_TAG_OPTIONAL_TENSORS, indices.data, indices.size())); }
Tensor grad_self(const Tensor& g, TensorList indices, bool accumulate) {
  if (accumulate) return g;
  Tensor zero = op<"zeros">(IntList(), g.dtype(), nullptr, g.device());
  return op<"index_put">(g, list_value(MT_TAG_OPTIONAL_TENSORS, indices.data, indices.size()), zero, false);
}
MT_OP(OpDef{
    .schema = {"index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)"},
    .forms = method | function,
    .doc = "Sets the elements that index tensors pick to `values` (broadcast), or adds them.",
    .cpu = placed,
    .npu = {"IndexPutImpl(self, indices, values, accumulate, 0)"},
    .meta = placed,
    .grad = {wrt("self", [](Grad g, In<"indices", TensorList> i, In<"accumulate", bool> accumulate) { return grad_self(g, *i, *accumulate); }),
             wrt("values", [](Grad g, In<"indices", TensorList> i) { return grad_values(g, *i); })},
});
constexpr auto put_into_copy = [](const Tensor& self, TensorList indices, const Tensor& values, bool accumulate) -> Tensor {
  BelowAutograd guard;
  Tensor out = op<"clone">(self);
  op<"index_put_">(out, list_value(MT_TAG_OPTIONAL_TENSORS, indices.data, indices.size()), values, accumulate);
  return out;
};
MT_OP(OpDef{
    .schema = {"index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor"},
    .forms = method | function,
    .doc = "A copy of `self` with the picked elements set to `values`, or added to.",
    .cpu = put_into_copy,
    .npu = {any_device},
    .meta = put_into_copy,
    .grad = {wrt("self", [](Grad g, In<"indices", TensorList> i, In<"accumulate", bool> accumulate) { return grad_self(g, *i, *accumulate); }),
             wrt("values", [](Grad g, In<"indices", TensorList> i) { return grad_values(g, *i); })},
});

}  // namespace
}  // namespace mt
