// Convolutions with one input channel per group: packing for a product does not pay off.
#pragma once

#include "cpu/conv/conv.h"

namespace mt::cpu::detail {

bool is_depthwise(const ConvShape& shape);
// Whether each float line that is read serves several lines of the result, so that converting the image to channels-last would gain
// nothing.
bool can_share_lines(const ConvShape& shape);
// As the functions of the same names in conv.h, for float and double.
template <class T>
void depthwise_forward(const ConvShape& shape, const T* x, const T* w, const T* bias, T* y);
template <class T>
void depthwise_backward_input(const ConvShape& shape, const T* y, const T* w, const T* bias, T* x);
template <class T>
void depthwise_backward_weight(const ConvShape& shape, const T* x, const T* y, T* w);

}  // namespace mt::cpu::detail
