// _embedding_bag: sums, means or maxima of table rows by bag, and values for the gradient.
#include "rules/index/embedding_bag.h"

namespace mt {
namespace {

constexpr auto compute_embedding_bag = [](const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool, int64_t mode, bool,
                                          const Tensor& per_sample_weights, bool include_last_offset, int64_t padding_idx) {
  const int64_t bags = (offsets.dim() ? offsets.size(0) : 0) - include_last_offset;
  return embedding_bag(weight, indices, offsets, mode, per_sample_weights, include_last_offset, padding_idx, bags);
};

MT_OP(OpDef{
    .schema =
        {"_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, "
         "Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc =
        R"(Computes sums, means or maxima of the rows of `weight` by bag, and what the gradient needs.

The further results are the bag of each index, the sizes of the bags and, for maxima, the rows that
they come from. ``torch.embedding_bag`` calls it.)",
    .cpu = compute_embedding_bag,
    .npu = {"EmbeddingBag"},
    .meta = compute_embedding_bag,
    .grad = {wrt("weight",
                 [](GradOf<0> g, In<"indices"> indices, In<"offsets"> offsets, Out<"result1"> offset2bag, Out<"result2"> bag_size,
                    Out<"result3"> max_indices, MetaOf<"weight"> weight, In<"scale_grad_by_freq", bool> scale, In<"mode", int64_t> mode,
                    In<"sparse", bool> sparse, In<"per_sample_weights"> scales, In<"padding_idx", int64_t> padding) {
                   return op<"_embedding_bag_backward">(g, indices, offsets, offset2bag, bag_size, max_indices, weight.sizes[0], *scale,
                                                        *mode, *sparse, scales, *padding);
                 }),
             wrt("per_sample_weights",
                 [](GradOf<0> g, In<"weight"> weight, In<"indices"> indices, In<"offsets"> offsets, Out<"result1"> offset2bag,
                    In<"mode", int64_t> mode, In<"padding_idx", int64_t> padding) {
                   return op<"_embedding_bag_per_sample_weights_backward">(g, weight, indices, offsets, offset2bag, *mode, *padding);
                 })},
    .no_forward = true,
});

}  // namespace
}  // namespace mt
