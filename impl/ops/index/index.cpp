// index: picks elements by index tensors.
#include "core/messages.h"
#include "dispatch/tensor_args.h"
#include "rules/index/indexing.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto compute_index = [](const Tensor& self, TensorList indices) -> Tensor {
  check(!indices.empty(), ErrorKind::index, messages::needs_an_index);
  if (self.is_meta())
    for (const Tensor& t : indices)
      check(!t.defined() || (t.dtype() != Dtype::boolean && t.dtype() != Dtype::uint8), ErrorKind::not_implemented,
            "aten::nonzero: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel registered for "
            "this operator.");
  BelowAutograd guard;
  if (is_single_mask(self, indices) && self.device().is_cpu() && indices[0].device().is_cpu()) return op<"masked_select">(self, indices[0]);
  return index_get(advanced_index(self, indices));
};

// vmap: moves the dimensions that precede the first index tensor to the front, just after the batch dimension, where `index` has them in
// its result.
Tensor move_indexed_dims_behind(const Tensor& result, int64_t first, int64_t index_rank) {
  Dims order{0};
  for (int64_t d = 0; d < first; ++d) order.push_back(1 + index_rank + d);
  for (int64_t d = 0; d < index_rank; ++d) order.push_back(1 + d);
  for (int64_t d = 1 + index_rank + first; d < result.dim(); ++d) order.push_back(d);
  return op<"permute">(result, order);
}

// vmap: if the index tensors are batched, the batch dimension is indexed too, by 0, 1, ..., one number per batch entry.
void batch_index(const BatchCall& c) {
  const TensorList given = Unbox<TensorList>::from(c.args[1]);
  const int64_t rank = c.tensor(0).dim();
  int64_t index_rank = 0, first = -1, last = -1, count = 0;
  bool by_slice = false;
  for (int64_t i = 0; i < given.size(); ++i) {
    if (!given[i].defined()) continue;
    const bool is_mask = given[i].dtype() == Dtype::boolean || given[i].dtype() == Dtype::uint8;
    check(!is_mask || !c.batch(given[i]),
          "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing with a boolean "
          "mask.");
    if (is_mask) return batch_looped(c);
    index_rank = std::max(index_rank, given[i].dim());
    by_slice |= c.batch(given[i]) != nullptr;
    if (first < 0) first = i;
    last = i;
    ++count;
  }
  if (count == 0 || given.size() > rank) return batch_looped(c);
  const bool adjacent = last - first + 1 == count;
  // The indexed dimensions are moved to the front, so that their position in the result does not depend on the dimensions between them.
  const bool is_shared = by_slice && !c.batch(0);  // then only the indices have the batch dimension
  const int64_t before = is_shared ? 0 : 1;
  Dims order;
  if (before) order.push_back(0);
  std::vector<Tensor> indices;
  for (int64_t i = 0; i < given.size(); ++i)
    if (given[i].defined()) {
      order.push_back(i + before);
      indices.push_back(by_slice ? c.padded(given[i], index_rank) : given[i]);
    }
  for (int64_t d = 0; d < rank; ++d)
    if (d >= given.size() || !given[d].defined()) order.push_back(d + before);
  const Tensor self = op<"permute">(is_shared ? c.tensor(0) : c.expanded(0), order);
  if (by_slice && !is_shared) {
    Dims shape(index_rank + 1, 1);
    shape[0] = c.size;
    indices.insert(indices.begin(), op<"view">(op<"arange">(c.size, Dtype::int64, nullptr, self.device()), shape));
  } else if (!by_slice) {
    indices.insert(indices.begin(), Tensor());
  }
  Tensor result = op<"index.Tensor">(self, box_optional(indices));
  if (adjacent && first > 0) result = move_indexed_dims_behind(result, first, index_rank);
  c.set_result(0, result);
}

MT_OP(OpDef{
    .schema = {"index.Tensor(Tensor self, Tensor?[] indices) -> Tensor"},
    .forms = internal | out,
    .form_overloads = {{"out", "Tensor_out"}},
    .doc = R"(Returns the elements that index tensors pick; an absent one stands for a full slice.

It computes ``x[i, j]`` for tensors ``i`` and ``j``, with NumPy's rules of advanced indexing: index
tensors are broadcast against each other, and negative indices count from the end.)",
    .cpu = compute_index,
    .npu = {"Index"},
    .meta = compute_index,
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self, In<"indices", TensorList> indices) {
                   Tensor zeros = op<"new_zeros">(g, self.sizes);
                   return op<"index_put">(zeros, box_optional(*indices), g, true);
                 })},
    .batch = batch_index,
});

}  // namespace
}  // namespace mt
