// The windows of an image as columns: shared by im2col and col2im.
#pragma once

#include "rules/reduction/rows.h"

namespace mt {

struct Patches {
  int64_t kernel[2], dilation[2], padding[2], stride[2];
};
inline void check_pair(IntList values, const char* name) {
  check(values.size() == 2, "It is expected {} equals to 2, but got size {}", name, values.size());
}
inline Patches checked_patches(IntList kernel, IntList dilation, IntList padding, IntList stride) {
  check_pair(kernel, "kernel_size");
  check_pair(dilation, "dilation");
  check_pair(padding, "padding");
  check_pair(stride, "stride");
  const Patches p{{kernel[0], kernel[1]}, {dilation[0], dilation[1]}, {padding[0], padding[1]}, {stride[0], stride[1]}};
  check(p.kernel[0] > 0 && p.kernel[1] > 0, "kernel size should be greater than zero, but got kernel_height: {} kernel_width: {}",
        p.kernel[0], p.kernel[1]);
  check(p.dilation[0] > 0 && p.dilation[1] > 0, "dilation should be greater than zero, but got dilation_height: {} dilation_width: {}",
        p.dilation[0], p.dilation[1]);
  check(p.padding[0] >= 0 && p.padding[1] >= 0, "padding should be non-negative, but got pad_height: {} pad_width: {}", p.padding[0],
        p.padding[1]);
  check(p.stride[0] > 0 && p.stride[1] > 0, "stride should be greater than zero, but got stride_height: {} stride_width: {}", p.stride[0],
        p.stride[1]);
  return p;
}
// The number of windows; computed unsigned, so that overflow wraps.
struct PatchGrid {
  int64_t rows, cols;
  PatchGrid(const Patches& p, int64_t height, int64_t width) : rows(count(p, 0, height)), cols(count(p, 1, width)) {}

 private:
  static int64_t count(const Patches& p, int i, int64_t size) {
    const int64_t room = int64_t(uint64_t(size) + 2 * uint64_t(p.padding[i]) - uint64_t(p.dilation[i]) * uint64_t(p.kernel[i] - 1) - 1);
    return (room >= 0 ? room / p.stride[i] : -((p.stride[i] - 1 - room) / p.stride[i])) + 1;
  }
};
// The windows [low, high) of a line for which the element that window 0 reads at `first` is inside the image.
struct InsideLine {
  int64_t low, high;
  InsideLine(int64_t first, int64_t stride, int64_t width, int64_t count)
      : low(std::min(count, first >= 0 ? 0 : (stride - 1 - first) / stride)),
        high(std::max(low, std::min(count, first >= width ? 0 : (width - 1 - first) / stride + 1))) {}
};
template <class F>
void dispatch_patches(Dtype dtype, const char* name, F&& f) {
  if (dtype == Dtype::boolean) return f(Type<bool>());
  dispatch_floating_and_complex(dtype, name, f);
}

}  // namespace mt
