// Copies one-dimensional runs of elements from one dtype and stride to another.
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace mt::cpu {

// torch's conversion from one dtype to another. Looking up its loops costs more than a short run: construct once, call often.
class Conversion {
 public:
  Conversion() {}  // assign before use
  Conversion(Dtype to, Dtype from);

  // dst[i * dst_stride] = src[i * src_stride] for i < n; strides in bytes. Source and target may be the same memory only if dtypes and
  // strides are equal.
  void operator()(void* dst, int64_t dst_stride, const void* src, int64_t src_stride, int64_t n) const;

 private:
  using Loop = void (*)(void* dst, const void* src, int64_t n);
  using Move = void (*)(char* dst, int64_t dst_stride, const char* src, int64_t src_stride, int64_t n);
  void step(Dtype to, Dtype from);

  int64_t dst_size_, src_size_;
  Loop loops_[3];  // for contiguous runs, applied one after the other; none between equal dtypes
  int steps_;
  Move gather_, scatter_;  // moves elements of the source's and of the target's size with any strides
};

// dst[i] = *src for i < n, elements of `size` bytes.
void repeat_element(void* dst, const void* src, int64_t size, int64_t n);

}  // namespace mt::cpu
