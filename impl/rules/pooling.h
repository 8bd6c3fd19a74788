// What all poolings share: torch's checks and texts, sizes and memory formats.
#pragma once

#include <vector>
#include "cpu/pool.h"
#include "rules/convolution.h"
#include "rules/exact_out.h"
#include "rules/rows.h"

namespace mt {

// A pooling over the last `n` dimensions, two or three.
struct Window {
  int64_t n;
  Dims kernel, stride, padding, dilation;
  bool ceil_mode;
};
// One number for all dimensions or one for each; errors begin with `name`.
Window pool_window(const char* name, int64_t n, IntList kernel, IntList stride, IntList padding, IntList dilation, bool ceil_mode);
// The sizes of the result, after all of torch's checks. `averages`: avg_pool3d also compares sizes with the kernel.
Dims pooled_sizes(const Tensor& self, const Window& window, bool averages);
cpu::PoolShape pool_shape(IntList input, IntList output, const Window& window);
// Whether both lie in the channels-last order of the window's dimensions; pool_shape's planes are then images times channels.
inline bool are_channels_last(const Tensor& input, const Tensor& output, int64_t n) {
  const MemoryFormat format = n == 2 ? MemoryFormat::channels_last : MemoryFormat::channels_last_3d;
  return input.dim() == n + 2 && !input.is_contiguous() && input.is_contiguous(format) &&
         output.is_contiguous(format) && output.numel() > 0;
}

// A result in the input's memory format (channels_last kept in `n` = 2, and in 3 where asked).
void add_like(Specs& out, const Tensor& self, IntList sizes, Dtype dtype, bool keeps_channels_last);
// Runs f(contiguous tensor) on `out` itself or on a copy that is then stored.
template <class F>
void with_contiguous(Tensor& out, F&& f) {
  if (out.is_contiguous()) return f(out);
  Tensor plain = empty(out.sizes(), out.dtype());
  f(plain);
  const MemoryFormat format = out.suggested_memory_format();
  copy_into(out, format != MemoryFormat::contiguous && out.is_contiguous(format) ? in_format(plain, format) : plain);
}

// Checks `t` against a shape, channels and the last `n` dimensions first, in torch's words.
void check_same_size(const Tensor& t, IntList sizes, int64_t n);
void check_same_dtype(const Tensor& grad, const Tensor& self, const char* name);
// torch's check of adaptive poolings and their kin: non-batch sizes must not be 0.
void check_non_empty(const Tensor& t, int64_t first, const char* function, const char* expected, const char* got);

// The window [start, end) of each result of an adaptive pooling.
struct AdaptiveWindow {
  int64_t start, end;
  AdaptiveWindow(int64_t o, int64_t in, int64_t out) : start(o / out * in + o % out * in / out), end(1 + ((o + 1) * in - 1) / out) {}
  int64_t size() const { return end - start; }
};
// Sizes of a tensor's last `n` dimensions, with leading ones to make three.
struct Spatial {
  int64_t size[3] = {1, 1, 1};
  int64_t total = 1, planes;
  Spatial(IntList sizes, int64_t n) {
    planes = 1;
    for (int64_t i = 0; i < sizes.size() - n; ++i) planes *= sizes[i];
    for (int64_t i = 0; i < n; ++i) total *= size[3 - n + i] = sizes[sizes.size() - n + i];
  }
};

// Calls f(window along planes, along rows, along elements) for each result in order.
template <class F>
void for_adaptive_windows(const Spatial& in, const Spatial& out, F&& f) {
  std::vector<AdaptiveWindow> windows[3];
  for (int i = 0; i < 3; ++i)
    for (int64_t o = 0; o < out.size[i]; ++o) windows[i].emplace_back(o, in.size[i], out.size[i]);
  for (const AdaptiveWindow& d : windows[0])
    for (const AdaptiveWindow& h : windows[1])
      for (const AdaptiveWindow& w : windows[2]) f(d, h, w);
}
// Calls f(first element of the line) for each line of a window.
template <class F>
void for_window_lines(const Spatial& in, const AdaptiveWindow& d, const AdaptiveWindow& h, F&& f) {
  for (int64_t i = d.start; i < d.end; ++i)
    for (int64_t j = h.start; j < h.end; ++j) f((i * in.size[1] + j) * in.size[2]);
}

// x[place[i]] += y[i] in each plane: the adjoint of picking one element for each result.
template <class T>
void add_at_places(int64_t planes, int64_t in_size, int64_t out_size, const T* y, const int64_t* place, T* x) {
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, in_size + out_size));
  cpu::parallel_for(0, planes, grain, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      T* plane = x + p * in_size;
      std::fill_n(plane, in_size, T(0));
      for (int64_t i = 0; i < out_size; ++i) {
        const int64_t at = place[p * out_size + i];
        check(at >= 0 && at < in_size, "invalid max index {}: the plane has {} elements", at, in_size);
        plane[at] = T(ComputeType<T>(plane[at]) + ComputeType<T>(y[p * out_size + i]));
      }
    }
  });
}
// What each place holds: the derivative of the above with respect to y, and of picking itself. Over the last `n` dimensions.
Tensor gather_places(const Tensor& values, const Tensor& places, int64_t n);

}  // namespace mt
