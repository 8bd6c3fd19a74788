// Bags of table rows: shared by embedding_bag's steps.
#pragma once

#include <vector>

#include "rules/index/rows_by_index.h"

namespace mt {

enum BagMode : int64_t { bag_sum = 0, bag_mean = 1, bag_max = 2 };

// Checked arguments. Bag b holds positions [starts[b], starts[b + 1]).
struct Bags {
  Tensor indices;  // contiguous int64
  std::vector<int64_t> starts;
  Dtype index_dtype = Dtype::int64;  // of the integer results
  int64_t count = 0;
};
Bags bags_of(const Tensor& weight, const Tensor& indices, const Tensor& offsets, int64_t mode, const Tensor& per_sample_weights,
             bool include_last_offset);

// The bag of each position.
std::vector<int64_t> bag_of_each_position(const Tensor& offset2bag, const Tensor& offsets, int64_t positions);

// The body of _embedding_bag and _embedding_bag_forward_only, also for meta tensors. Returns the folded rows of each bag, the bag of each
// index, the bags' sizes and, for maxima, their row indices. For sums, the bags' sizes are `sizes_of_sums` zeros, which nobody reads.
Tensors<4> embedding_bag(const Tensor& weight, const Tensor& indices, const Tensor& offsets, int64_t mode, const Tensor& per_sample_weights,
                         bool include_last_offset, int64_t padding_idx, int64_t sizes_of_sums);

}  // namespace mt
