// Checks of embedding_bag's arguments.
#include "rules/embedding_bag.h"

#include <algorithm>

namespace mt {

Bags bags_of(const Tensor& weight, const Tensor& indices, const Tensor& offsets, int64_t mode, const Tensor& per_sample_weights, bool include_last_offset) {
  check_is_index(indices, 1, "embedding_bag");
  check(offsets.dtype() == Dtype::int64 || offsets.dtype() == Dtype::int32,
        "Expected tensor for argument #1 'offsets' to have one of the following scalar types: Long, Int; but got {} instead (while checking arguments for "
        "embedding_bag)",
        text_of_type(offsets));
  check(is_floating(weight.dtype()),
        "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, Float, Double; but got {} instead (while checking "
        "arguments for embedding_bag)",
        text_of_type(weight));
  check(mode >= bag_sum && mode <= bag_max, "`mode` must be sum, mean, or max.");
  check(weight.dim() == 2, "weight has to be a 2D Tensor, but got Tensor of dimension {}", weight.dim());
  check(indices.dim() == 1, "input has to be a 1D Tensor, but got Tensor of dimension {}", indices.dim());
  check(offsets.dim() == 1, "offsets has to be a 1D Tensor, but got Tensor of dimension {}", offsets.dim());
  check(!include_last_offset || offsets.size(0) >= 1, "include_last_offset: number of offset should be at least 1");
  if (per_sample_weights.defined()) {
    check(mode == bag_sum, "embedding_bag: per_sample_weights only supported with mode='sum'");
    check(per_sample_weights.dtype() == weight.dtype(),
          "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 'per_sample_weights'; but type {} does not equal {} (while "
          "checking arguments for embedding_bag)",
          text_of_type(weight), text_of_type(per_sample_weights));
    constexpr const char* hint = "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)";
    check(per_sample_weights.dim() == 1, "Expected per_sample_weights.value().dim() == 1 to be true, but got false.  {}", hint);
    check(per_sample_weights.numel() == indices.numel(), "Expected per_sample_weights.value().numel() == indices.numel() to be true, but got false.  {}", hint);
  }
  Bags b;
  const bool wide = indices.dtype() == Dtype::int64 || offsets.dtype() == Dtype::int64;
  b.index_dtype = wide ? Dtype::int64 : Dtype::int32;
  b.count = offsets.size(0) - (include_last_offset ? 1 : 0);
  if (indices.is_meta()) return b;
  const int64_t n = indices.size(0);
  const Tensor at = dense_as(offsets, Dtype::int64);
  const int64_t given = at.numel();
  const int64_t* start = at.data<int64_t>();
  if (given > 0) {
    check(start[0] == 0, "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got {}", start[0]);
    check(start[given - 1] <= n, "offsets[-1] can not be greater than input's length {} but got offsets[-1] of {}", n, start[given - 1]);
  }
  b.starts.assign(start, start + given);
  if (!include_last_offset) b.starts.push_back(n);
  for (size_t i = 0; i + 1 < b.starts.size(); ++i)
    check(b.starts[i] <= b.starts[i + 1],
          "Expected i < index_size to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)");
  b.indices = dense_as(indices, Dtype::int64);
  return b;
}

std::vector<int64_t> bag_of_positions(const Tensor& offset2bag, const Tensor& offsets, int64_t positions) {
  if (offset2bag.defined() && offset2bag.numel() == positions) {
    const Tensor wide = dense_as(offset2bag, Dtype::int64);
    return {wide.data<int64_t>(), wide.data<int64_t>() + positions};
  }
  const Tensor at = dense_as(offsets, Dtype::int64);
  std::vector<int64_t> bags(size_t(positions), 0);
  for (int64_t b = 0; b < at.numel(); ++b) {
    const int64_t start = at.data<int64_t>()[b];
    check(start >= 0 && start <= positions, "offsets have to be within input's length {} but got {}", positions, start);
    const int64_t end = b + 1 < at.numel() ? std::min(at.data<int64_t>()[b + 1], positions) : positions;
    for (int64_t i = start; i < end; ++i) bags[size_t(i)] = b;
  }
  return bags;
}

}  // namespace mt
