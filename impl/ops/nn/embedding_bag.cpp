// embedding_bag: sums, means or maxima of table rows, by bags of indices.
#include "autograd/forward.h"
#include "rules/algebra.h"

namespace mt {
namespace {

Tensors<4> bags(const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale, int64_t mode, bool sparse,
                const Tensor& scales, bool include_last, int64_t padding) {
  if (needs_derivative(weight) || needs_derivative(scales))
    return op<"_embedding_bag", Tensors<4>>(weight, indices, offsets, scale, mode, sparse, scales, include_last, padding);
  return op<"_embedding_bag_forward_only", Tensors<4>>(weight, indices, offsets, scale, mode, sparse, scales, include_last, padding);
}

MT_OP(OpDef{
    .schema = {"embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, "
               "Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)",
               "embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, "
               "Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc = "Sums (mode 0), means (1) or maxima (2) of the rows of `weight` that `indices` name; a bag begins at each of the `offsets`.",
    .composite = [](const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale, int64_t mode, bool sparse,
                    const Tensor& scales, bool include_last) -> Tensors<4> {
      return bags(weight, indices, offsets, scale, mode, sparse, scales, include_last, -1);
    },
    .overloads = {overload("padding_idx", {.composite = [](const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale,
                                                           int64_t mode, bool sparse, const Tensor& scales, bool include_last,
                                                           std::optional<int64_t> padding) -> Tensors<4> {
                             int64_t skipped = -1;
                             if (padding) {
                               const int64_t rows = weight.dim() ? weight.size(0) : 0;
                               check(*padding >= -rows && *padding < rows,
                                     "padding_idx must be within the number of embeddings, {} through {}, but got {}", -rows, rows - 1,
                                     *padding);
                               skipped = *padding < 0 ? *padding + rows : *padding;
                             }
                             return bags(weight, indices, offsets, scale, mode, sparse, scales, include_last, skipped);
                           }})},
});

}  // namespace
}  // namespace mt
