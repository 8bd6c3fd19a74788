// Convolutions computed in channels-last order: depthwise ones, 1 x 1 kernels (plain products), and dense ones.
#pragma once

#include "cpu/conv/conv.h"

namespace mt::cpu {

// Whether the first function below supports this convolution, and whether the others support its gradients. T: float; double if not
// depthwise; the half types for 1 x 1 kernels.
template <class T>
bool convolves_channels_last(const ConvShape& shape);
template <class T>
bool has_channels_last_gradients(const ConvShape& shape);

// x: [batch][in][groups * in_channels], y: [batch][out][groups * out_channels], w: [groups * out_channels][kernel][in_channels].
// Otherwise like the functions of the same names in conv.h.
template <class T>
void conv_forward_channels_last(const ConvShape& shape, const T* x, const T* w, const T* bias, T* y);
template <class T>
void conv_backward_input_channels_last(const ConvShape& shape, const T* y, const T* w, const T* bias, T* x);
template <class T>
void conv_backward_weight_channels_last(const ConvShape& shape, const T* x, const T* y, T* w);

// Whether the convolution is a product of the images, as they are, with the weights.
bool is_plain_product(const ConvShape& shape);

// Depthwise convolutions of planar images (as in conv.h) whose planes are so small that lines of a few pixels cost more than transposing
// the images to channels-last and back.
bool is_worth_transposing(const ConvShape& shape);
void conv_forward_transposing(const ConvShape& shape, const float* x, const float* w, const float* bias, float* y);
void conv_backward_input_transposing(const ConvShape& shape, const float* y, const float* w, const float* bias, float* x);
void conv_backward_weight_transposing(const ConvShape& shape, const float* x, const float* y, float* w);

}  // namespace mt::cpu
