// embedding_bag: sums, means or maxima of table rows, by bags of indices.
#include "autograd/forward.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

Tensors<4> compute_bags(const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale, int64_t mode, bool sparse,
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
    .doc = R"(Computes sums, means or maxima of rows of a table, by bags of indices.

Bag i holds the indices from ``offsets[i]`` to ``offsets[i + 1]``; an empty bag gives zeros.
``torch.nn.functional.embedding_bag`` takes `input` first, matrices of indices and the mode by name.

Args:
    weight (Tensor): table; shape ``(V, D)``.
    indices (Tensor): vector of int64 or int32 indices in ``[0, V)``.
    offsets (Tensor): where each bag begins in `indices`; rising from 0.
    scale_grad_by_freq (bool): whether a row's gradient is divided by its number of uses; not for
        maxima. Default: ``False``.
    mode (int): 0 for sums, 1 for means, 2 for maxima. Default: ``0``.
    sparse (bool): whether the gradient is a sparse COO tensor; not for maxima. Default: ``False``.
    per_sample_weights (Tensor, optional): factor of each index; for sums only.
    include_last_offset (bool): whether the last of `offsets` is the end of the last bag. Default:
        ``False``.
    padding_idx (int, optional): row that counts for nothing and gets no gradient.

Returns:
    (Tensor, Tensor, Tensor, Tensor): the bags, shape ``(B, D)``; then what the gradient needs: the
    bag of each index, the sizes of the bags, the rows that maxima come from.

Raises:
    RuntimeError: when an index is out of range, or dtypes or arguments do not fit.

Example:
    >>> table = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.embedding_bag(table, torch.tensor([0, 1, 1]), torch.tensor([0, 2]))[0]
    tensor([[4., 6.],
            [3., 4.]]))",
    .composite = [](const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale, int64_t mode, bool sparse,
                    const Tensor& scales, bool include_last) -> Tensors<4> {
      return compute_bags(weight, indices, offsets, scale, mode, sparse, scales, include_last, -1);
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
                             return compute_bags(weight, indices, offsets, scale, mode, sparse, scales, include_last, skipped);
                           }})},
});

}  // namespace
}  // namespace mt
