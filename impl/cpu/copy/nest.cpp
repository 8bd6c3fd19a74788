// Orders, merges and iterates over a nest's dimensions.
#include "cpu/copy/nest.h"

#include <algorithm>

#include "core/error.h"
#include "core/messages.h"

namespace mt::cpu {

void Nest::add(void* data, int64_t itemsize, IntList strides) {
  NestOperand& o = operands_[count_++];
  o.data = static_cast<char*>(data);
  o.itemsize = itemsize;
  o.strides.resize(strides.size());
  for (int64_t d = 0; d < strides.size(); ++d) o.strides[d] = strides[d] * itemsize;  // outermost first until finish()
}

void Nest::add_broadcast(void* data, int64_t itemsize, IntList sizes, IntList strides) {
  Dims full(shape_.size(), 0);
  int64_t offset = shape_.size() - sizes.size();
  // Operators normally raise their own error for sizes that do not broadcast; this check keeps a missed case from reading foreign memory.
  check(offset >= 0, "the number of sizes provided ({}) must be greater or equal to the number of dimensions in the tensor ({})",
        shape_.size(), sizes.size());
  for (int64_t d = 0; d < sizes.size(); ++d)
    check(sizes[d] == 1 || sizes[d] == shape_[d + offset], messages::expanded_size_mismatch, shape_[d + offset], sizes[d], d + offset,
          shape_, sizes);
  for (int64_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] != 1 || shape_[d + offset] == 1) full[d + offset] = strides[d];
  add(data, itemsize, full);
}

void Nest::runs(int64_t begin, int64_t end, RunFunction f) const {
  if (begin >= end) return;
  Small<int64_t, 6> index(sizes_.size());
  int64_t rest = begin;
  char* data[max_operands];
  for (int k = 0; k < count_; ++k) data[k] = operands_[k].data;
  for (int64_t d = 0; d < sizes_.size(); ++d) {
    index[d] = rest % sizes_[d];
    rest /= sizes_[d];
    for (int k = 0; k < count_; ++k) data[k] += index[d] * operands_[k].strides[d];
  }
  int64_t strides[max_operands];
  for (int k = 0; k < count_; ++k) strides[k] = operands_[k].strides[0];
  for (int64_t p = begin; p < end;) {
    const int64_t n = std::min(sizes_[0] - index[0], end - p);
    f(data, strides, n);
    p += n;
    if (p >= end) break;
    // Carries into the outer dimensions when an inner index reaches its size.
    for (int k = 0; k < count_; ++k) data[k] -= index[0] * strides[k];
    index[0] = 0;
    for (int64_t d = 1; d < sizes_.size(); ++d) {
      for (int k = 0; k < count_; ++k) data[k] += operands_[k].strides[d];
      if (++index[d] < sizes_[d]) break;
      for (int k = 0; k < count_; ++k) data[k] -= index[d] * operands_[k].strides[d];
      index[d] = 0;
    }
  }
}

void order_dimensions(IntList sizes, const IntList* strides, int operands, Small<int64_t, 6>& order) {
  const int64_t ndim = sizes.size();
  order.clear();
  for (int64_t d = ndim - 1; d >= 0; --d) order.push_back(d);
  // Positive if dimension a must be outside dimension b.
  auto compare = [&](int64_t a, int64_t b) {
    for (int k = 0; k < operands; ++k) {
      const int64_t sa = strides[k][a], sb = strides[k][b];
      if (sa == 0 || sb == 0) continue;
      if (sa != sb) return sa < sb ? -1 : 1;
      if (sizes[a] > sizes[b]) return 1;
    }
    return 0;
  };
  for (int64_t i = 1; i < ndim; ++i) {
    int64_t moving = i;
    for (int64_t j = i - 1; j >= 0; --j) {
      const int c = compare(order[j], order[moving]);
      if (c > 0) {
        std::swap(order[j], order[moving]);
        moving = j;
      } else if (c < 0) {
        break;
      }
    }
  }
}

void Nest::finish() {
  numel_ = 1;
  for (int64_t s : shape_) numel_ *= s;
  IntList views[max_operands];
  for (int k = 0; k < count_; ++k) views[k] = operands_[k].strides;
  Small<int64_t, 6> order;
  order_dimensions(shape_, views, count_, order);
  Small<int64_t, 6> strides[max_operands];
  sizes_.clear();
  for (int64_t d : order) {
    if (shape_[d] == 1) continue;
    const int64_t last = sizes_.size() - 1;
    bool merge = last >= 0;
    for (int k = 0; merge && k < count_; ++k) merge = operands_[k].strides[d] == strides[k][last] * sizes_[last];
    if (merge) {
      sizes_[last] *= shape_[d];
      continue;
    }
    sizes_.push_back(shape_[d]);
    for (int k = 0; k < count_; ++k) strides[k].push_back(operands_[k].strides[d]);
  }
  if (sizes_.empty()) {
    sizes_.push_back(1);
    for (int k = 0; k < count_; ++k) strides[k].push_back(operands_[k].itemsize);
  }
  for (int k = 0; k < count_; ++k) {
    NestOperand& o = operands_[k];
    o.strides = strides[k];
    o.linear = sizes_.size() == 1 && (o.strides[0] == o.itemsize || sizes_[0] == 1);
    o.constant = true;
    int64_t dense = o.itemsize;
    bool linear = true;
    for (int64_t d = 0; d < sizes_.size(); ++d) {
      o.constant = o.constant && o.strides[d] == 0;
      linear = linear && o.strides[d] == dense;
      dense *= sizes_[d];
    }
    o.linear = o.linear || linear;
  }
}

}  // namespace mt::cpu
