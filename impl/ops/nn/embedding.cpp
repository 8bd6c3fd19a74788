// embedding: rows of a table, by index.
#include "rules/rows_by_index.h"

namespace mt {
namespace {

constexpr auto looked_up = [](const Tensor& weight, const Tensor& indices, int64_t, bool, bool) -> Tensor {
  check(weight.dim() == 2, "'weight' must be 2-D");
  check_is_index(indices, 1, "embedding");
  Dims sizes(indices.sizes());
  sizes.push_back(weight.size(1));
  Tensor out = empty(sizes, weight.dtype(), weight.device());
  if (out.is_meta()) return out;
  gather_rows(dense(weight), dense_as(indices, Dtype::int64), out);
  return out;
};

MT_OP(OpDef{
    .schema = {"embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor"},
    .forms = function,
    .doc = "The rows of `weight` that `indices` name: indices.shape + weight.shape[1:].",
    .cpu = looked_up,
    .npu = {"Embedding(weight, indices)"},
    .meta = looked_up,
    .grad = {wrt("weight", [](Grad g, In<"indices"> indices, MetaOf<"weight"> weight, In<"padding_idx", int64_t> padding, In<"scale_grad_by_freq", bool> scale) {
      return op<"embedding_dense_backward">(g, indices, weight.sizes[0], *padding, *scale);
    })},
});

}  // namespace
}  // namespace mt
