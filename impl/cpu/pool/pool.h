// Pooling of planes of up to three dimensions: regularly spaced windows, and the gradients of max and average pooling.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cpu/threads/parallel.h"

namespace mt::cpu {

// x: [planes][in], y: [planes][out], contiguous. A 2-d pooling has depth 1.
struct PoolShape {
  int64_t planes;
  int64_t in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
  int64_t in_size() const { return in[0] * in[1] * in[2]; }
  int64_t out_size() const { return out[0] * out[1] * out[2]; }
};
// The divisor of an average: the window's size, with or without padding, or `divisor` if that is not 0.
struct PoolDivisor {
  bool count_include_pad;
  int64_t divisor;
};

// The largest element of each window and its index in the plane: the first of equals, the last NaN. Real types.
template <class T>
void max_pool(const PoolShape& shape, const T* x, T* y, int64_t* place);
// As max_pool without indices, along lines: planes of in[2] elements. Floating types.
template <class T>
void max_pool_lines(const PoolShape& shape, const T* x, T* y);
// The sum of each window, divided. Floating types and int64_t.
template <class T>
void avg_pool(const PoolShape& shape, PoolDivisor divisor, const T* x, T* y);
// The adjoint of avg_pool: x becomes the sum of the windows' gradients.
template <class T>
void avg_pool_backward(const PoolShape& shape, PoolDivisor divisor, const T* y, T* x);

// ---- channels-last images, [images][in][channels] to [images][results][channels], with arbitrary windows ----

// A window along one dimension: `count` pixels from `first` on, `step` apart, inside the image. `size` pixels count in an average.
struct PoolSpan {
  int64_t first, count, step, size;
};
struct PoolWindows {
  int64_t images, channels, in[3];
  std::vector<PoolSpan> along[3];  // one for each result
  int64_t divisor = 0;  // of sums; if it is 0, the windows' sizes are the divisors, one dimension after the other if `in_turn`
  bool in_turn = false;
  int64_t in_size() const { return in[0] * in[1] * in[2]; }
  int64_t out_size() const { return int64_t(along[0].size() * along[1].size() * along[2].size()); }
};
// Regularly spaced windows; the shape's `planes` are the images.
PoolWindows regular_windows(const PoolShape& shape, PoolDivisor divisor, int64_t channels);

template <class T>
void max_pool_channels_last(const PoolWindows& windows, const T* x, T* y, int64_t* place);
template <class T>
void avg_pool_channels_last(const PoolWindows& windows, const T* x, T* y);
template <class T>
void avg_pool_backward_channels_last(const PoolWindows& windows, const T* y, T* x);

// ---- planar images, [planes][in] to [planes][results], with arbitrary windows: transposed so that planes become channels ----

// Whether there are enough planes for vectors; and whether transposing is faster than working on rows for regularly spaced windows, given
// the sizes of a plane and of an element.
constexpr bool are_worth_transposing(int64_t planes) { return planes >= 4; }
constexpr bool are_worth_transposing(int64_t planes, int64_t in_size, int64_t element_size) {
  return are_worth_transposing(planes) && in_size * element_size <= 32768;
}
template <class T>
void max_pool_transposed(const PoolWindows& windows, int64_t planes, const T* x, T* y, int64_t* place);
template <class T>
void avg_pool_transposed(const PoolWindows& windows, int64_t planes, const T* x, T* y);
template <class T>
void avg_pool_backward_transposed(const PoolWindows& windows, int64_t planes, const T* y, T* x);

// Clears `count` channels of an image's pixels, `pitch` elements apart, just before gradients are added to these pixels, which are then
// still in the caches. clear_until(end) clears all pixels before `end`.
template <class T>
class ClearedPixels {
 public:
  ClearedPixels(T* first, int64_t pitch, int64_t count) : first_(first), pitch_(pitch), count_(count) {}
  void clear_until(int64_t end) {
    if (end <= done_) return;
    if (count_ == pitch_)
      std::fill_n(first_ + done_ * pitch_, (end - done_) * pitch_, T(0));
    else
      for (int64_t i = done_; i < end; ++i) std::fill_n(first_ + i * pitch_, count_, T(0));
    done_ = end;
  }

 private:
  T* first_;
  int64_t pitch_, count_, done_ = 0;
};
// Calls f(image, first channel, count) in parallel for ranges of the channels of each image, for kernels that sum over pixels or add to
// pixels that windows share. `work` is that of one channel of an image. Images are not split if there are enough for all threads; otherwise
// ranges are whole cache lines of floats.
template <class F>
void for_channel_pieces(int64_t images, int64_t channels, int64_t work, F&& f, int64_t line = 16) {
  if (images == 0 || channels == 0) return;
  const int64_t wanted = (2 * get_num_threads() - 1) / images + 1, lines = (channels + line - 1) / line;
  const int64_t block = std::max<int64_t>(1, lines / wanted) * line, blocks = (channels + block - 1) / block;
  parallel_for(0, images * blocks, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, block * work)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % blocks * block;
      f(i / blocks, first, std::min(channels - first, block));
    }
  });
}

}  // namespace mt::cpu
