// Pooling of planes of up to three dimensions: windows at regular distances, and the adjoints of picking and averaging.
#pragma once

#include <cstdint>

namespace mt::cpu {

// x: [planes][in], y: [planes][out], dense. A 2-d pooling has depth 1.
struct PoolShape {
  int64_t planes;
  int64_t in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
  int64_t in_size() const { return in[0] * in[1] * in[2]; }
  int64_t out_size() const { return out[0] * out[1] * out[2]; }
};
// How an average divides: by the window's size with or without the padding in it, or by `divisor` where that is not 0.
struct PoolDivisor {
  bool count_include_pad;
  int64_t divisor;
};

// The largest element of each window and its place in the plane: the first of equals, the last NaN. Real types.
template <class T>
void max_pool(const PoolShape& shape, const T* x, T* y, int64_t* place);
// The largest element of each window of lines: planes of in[2] elements. Floating types.
template <class T>
void max_pool_lines(const PoolShape& shape, const T* x, T* y);
// The sum of each window, divided. Floating types and int64_t.
template <class T>
void avg_pool(const PoolShape& shape, PoolDivisor divisor, const T* x, T* y);
// The same of images in channels-last order: [planes][in][channels] to [planes][out][channels].
template <class T>
void max_pool_channels_last(const PoolShape& shape, int64_t channels, const T* x, T* y, int64_t* place);
template <class T>
void avg_pool_channels_last(const PoolShape& shape, PoolDivisor divisor, int64_t channels, const T* x, T* y);
// The adjoint of avg_pool: x becomes the sum of what each window hands back.
template <class T>
void avg_pool_backward(const PoolShape& shape, PoolDivisor divisor, const T* y, T* x);

}  // namespace mt::cpu
