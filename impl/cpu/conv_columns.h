// The adjoint of a convolution as a plain product, of what each pixel of the output adds to each pixel that it read.
#pragma once

#include "conv.h"

namespace mt::cpu::detail {

// Whether most pixels of the input were read by few kernel elements, so that a product for every pixel and element would be of zeros.
bool is_read_with_gaps(const ConvShape& shape);

// As conv.h's conv_backward_input. Floating types.
template <class T>
void columns_backward_input(const ConvShape& shape, const T* y, const T* w, const T* bias, T* x);

}  // namespace mt::cpu::detail
