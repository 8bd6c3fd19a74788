// Convolutions of dense tensors in up to three spatial dimensions, and their gradients.
#pragma once

#include <cstdint>

namespace mt::cpu {

// Unused leading spatial dimensions are 1: a 2-d convolution has depth 1. Channels are those of one group.
struct ConvShape {
  int64_t batch, groups, in_channels, out_channels;
  int64_t in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];

  int64_t in_size() const { return in[0] * in[1] * in[2]; }
  int64_t out_size() const { return out[0] * out[1] * out[2]; }
  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  // Whether each position reads exactly the pixel with the same index (1 x 1 kernels without stride or padding).
  bool reads_pixels_in_place() const {
    for (int i = 0; i < 3; ++i)
      if (kernel[i] != 1 || in[i] != out[i] || padding[i] != 0) return false;
    return true;
  }
};

// x: [batch][groups * in_channels][in], w: [groups * out_channels][in_channels][kernel], y: [batch][groups * out_channels][out], all
// contiguous in this order. Results do not depend on the number of threads; half types are summed in float.

// y = x * w + bias. T: float, double, Half, BFloat16, and the integers, which wrap around.
template <class T>
void conv_forward(const ConvShape& shape, const T* x, const T* w, const T* bias, T* y);
// x = adjoint of the above applied to y, + bias: the gradient of the input, and the transposed convolution. The same types.
template <class T>
void conv_backward_input(const ConvShape& shape, const T* y, const T* w, const T* bias, T* x);
// w = gradient of the weight, from the input and the gradient of the output. Floating types.
template <class T>
void conv_backward_weight(const ConvShape& shape, const T* x, const T* y, T* w);

}  // namespace mt::cpu
