// Convolutions of channels-last images that need no turning: depthwise ones, 1 x 1 kernels, which are plain products, and dense ones.
#pragma once

#include "conv.h"

namespace mt::cpu {

// Whether the first of the functions below computes this convolution, and whether the others compute its gradients. T: float; double
// where it is not depthwise; the half types for 1 x 1 kernels.
template <class T>
bool convolves_channels_last(const ConvShape& shape);
template <class T>
bool has_channels_last_gradients(const ConvShape& shape);

// x: [batch][in][groups * in_channels], y: [batch][out][groups * out_channels], w: [groups * out_channels][kernel][in_channels].
// Otherwise as their namesakes in conv.h.
template <class T>
void conv_forward_channels_last(const ConvShape& shape, const T* x, const T* w, const T* bias, T* y);
template <class T>
void conv_backward_input_channels_last(const ConvShape& shape, const T* y, const T* w, const T* bias, T* x);
template <class T>
void conv_backward_weight_channels_last(const ConvShape& shape, const T* x, const T* y, T* w);

// Depthwise convolutions of planes so small that lines of a few pixels cost more than turning the images: planar images, as in
// conv.h, that are turned on the way in and out.
bool is_worth_transposing(const ConvShape& shape);
void conv_forward_transposing(const ConvShape& shape, const float* x, const float* w, const float* bias, float* y);
void conv_backward_input_transposing(const ConvShape& shape, const float* y, const float* w, const float* bias, float* x);
void conv_backward_weight_transposing(const ConvShape& shape, const float* x, const float* y, float* w);

}  // namespace mt::cpu
