// Copies runs of elements from one dtype and stride to another.
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace mt::cpu {

// The conversion from one dtype to another as torch does it. Finding its loops costs more than a short run: make it once, call it often.
class Conversion {
 public:
  Conversion() {}  // to be assigned before it is called
  Conversion(Dtype to, Dtype from);

  // dst[i * dst_stride] = src[i * src_stride] for i < n; strides in bytes. The runs may be the same memory only where both
  // dtypes and strides are equal.
  void operator()(void* dst, int64_t dst_stride, const void* src, int64_t src_stride, int64_t n) const;

 private:
  using Loop = void (*)(void* dst, const void* src, int64_t n);
  using Move = void (*)(char* dst, int64_t dst_stride, const char* src, int64_t src_stride, int64_t n);
  void step(Dtype to, Dtype from);

  int64_t dst_size_, src_size_;
  Loop loops_[3];  // of dense runs, one after the other; none between equal dtypes
  int steps_;
  Move gather_, scatter_;  // elements of the source's and of the target's size, at any strides
};

// dst[i] = *src for i < n, elements of `size` bytes.
void repeat_element(void* dst, const void* src, int64_t size, int64_t n);

}  // namespace mt::cpu
