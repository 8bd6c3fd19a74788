// A nest of loops over several operands of one shape: dimensions ordered by memory, merged where they can be.
#pragma once

#include "core/list.h"

namespace mt::cpu {

struct NestOperand {
  char* data;
  int64_t itemsize;
  Small<int64_t, 6> strides;  // bytes, one per dimension of the nest, innermost first
  bool linear = false;        // element at position p lies at data + p * itemsize
  bool constant = false;      // all strides are 0
};

class Nest {
 public:
  static constexpr int max_operands = 8;

  explicit Nest(IntList sizes) : shape_(sizes) {}
  // `strides` in elements, as many as the shape has dimensions after broadcasting (0 where broadcast).
  void add(void* data, int64_t itemsize, IntList strides);
  // Adds an operand of a shape that broadcasts to the nest's.
  void add_broadcast(void* data, int64_t itemsize, IntList sizes, IntList strides);
  // Orders dimensions so that the first operand's smallest strides are innermost, then merges.
  void finish();

  int64_t numel() const { return numel_; }
  int operands() const { return count_; }
  const NestOperand& operator[](int i) const { return operands_[i]; }
  IntList sizes() const { return sizes_; }

  // Calls f(data, strides, n) for each innermost run that lies in positions [begin, end): pointers of all operands at the run's start,
  // innermost byte strides, and its length.
  template <class F>
  void runs(int64_t begin, int64_t end, F&& f) const {
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
      int64_t n = sizes_[0] - index[0];
      if (n > end - p) n = end - p;
      f(static_cast<char* const*>(data), static_cast<const int64_t*>(strides), n);
      p += n;
      if (p >= end) break;
      // Carry into the outer dimensions.
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

 private:
  Dims shape_;
  Small<int64_t, 6> sizes_;  // innermost first
  NestOperand operands_[max_operands];
  int count_ = 0;
  int64_t numel_ = 1;
};

// The order that a memory layout suggests, innermost dimension first, as torch's TensorIterator finds it: by the strides of the
// operands in turn, ties by size. strides[k][d] in any unit; 0 where operand k does not vary.
void order_dimensions(IntList sizes, const IntList* strides, int operands, Small<int64_t, 6>& order);

}  // namespace mt::cpu
