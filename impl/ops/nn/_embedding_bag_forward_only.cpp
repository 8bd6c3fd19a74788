// _embedding_bag_forward_only: _embedding_bag without a gradient.
#include "rules/index/embedding_bag.h"

namespace mt {
namespace {

constexpr auto compute_embedding_bag_forward_only = [](const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool,
                                                       int64_t mode, bool, const Tensor& per_sample_weights, bool include_last_offset,
                                                       int64_t padding_idx) {
  const int64_t starts = offsets.dim() ? offsets.size(0) : 0;
  return embedding_bag(weight, indices, offsets, mode, per_sample_weights, include_last_offset, padding_idx, starts);
};

MT_OP(OpDef{
    .schema = {"_embedding_bag_forward_only(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool "
               "sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, "
               "Tensor, Tensor)"},
    .forms = function,
    .doc = "Computes ``_embedding_bag`` where no gradient is wanted.",
    .cpu = compute_embedding_bag_forward_only,
    .npu = {"EmbeddingBag"},
    .meta = compute_embedding_bag_forward_only,
    .no_forward = true,
});

}  // namespace
}  // namespace mt
