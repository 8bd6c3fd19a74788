// Dense convolutions of channels-last images: pixels are rows of a product in place, one kernel element at a time.
#pragma once

#include "cpu/conv/conv.h"

namespace mt::cpu::detail {

// Whether there are enough channels for the vectors and rows of a product, and more than one kernel element. Float and double.
bool is_dense_product(const ConvShape& shape);

// For few channels: the elements of a kernel line are contiguous and form one row of a product. Forward only, float.
bool is_dense_by_lines(const ConvShape& shape);

// As in conv_channels.h.
template <class T>
void dense_forward(const ConvShape& shape, const T* x, const T* w, const T* bias, T* y);
template <class T>
void dense_forward_by_lines(const ConvShape& shape, const T* x, const T* w, const T* bias, T* y);
template <class T>
void dense_backward_input(const ConvShape& shape, const T* y, const T* w, const T* bias, T* x);

}  // namespace mt::cpu::detail
