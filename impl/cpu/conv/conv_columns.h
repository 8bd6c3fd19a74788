// The adjoint of a convolution as a plain product: the contribution of each output pixel to each pixel that it read.
#pragma once

#include "cpu/conv/conv.h"

namespace mt::cpu::detail {

// Whether few kernel elements read most input pixels, so that a product for every pixel and element would be mostly zeros.
bool is_read_with_gaps(const ConvShape& shape);

// As conv_backward_input in conv.h. Floating types.
template <class T>
void columns_backward_input(const ConvShape& shape, const T* y, const T* w, const T* bias, T* x);

}  // namespace mt::cpu::detail
