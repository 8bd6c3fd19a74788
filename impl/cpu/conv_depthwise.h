// Convolutions whose groups have one input channel: no product is worth packing for them.
#pragma once

#include "conv.h"

namespace mt::cpu::detail {

bool is_depthwise(const ConvShape& shape);
// Whether each line of float that is read serves several lines of the result: nothing is gained by another order of the image.
bool can_share_lines(const ConvShape& shape);
// As their namesakes in conv.h, of float and double.
template <class T>
void depthwise_forward(const ConvShape& shape, const T* x, const T* w, const T* bias, T* y);
template <class T>
void depthwise_backward_input(const ConvShape& shape, const T* y, const T* w, const T* bias, T* x);
template <class T>
void depthwise_backward_weight(const ConvShape& shape, const T* x, const T* y, T* w);

}  // namespace mt::cpu::detail
