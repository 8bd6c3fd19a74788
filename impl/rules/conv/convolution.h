// Shared by all convolutions: torch's checks and error messages, sizes, memory formats, and calls of the kernels.
#pragma once

#include "cpu/conv/conv.h"
#include "rules/conv/layouts.h"

namespace mt {

struct Convolution {
  Dims stride, padding, dilation, output_padding;  // one per spatial dimension
  bool transposed;
  int64_t groups;
};

// Repeats a single number for all dimensions, and returns a list of one number per dimension unchanged; for other lengths raises torch's
// error message.
Dims per_dimension(IntList values, const char* name, int64_t n);
// Makes all checks that torch makes before it computes.
Convolution checked_convolution(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, IntList padding,
                                IntList dilation, bool transposed, IntList output_padding, int64_t groups);
Dims convolution_sizes(IntList input, IntList weight, const Convolution& c);
// Whether torch uses oneDNN for this convolution: results then stay channels-last in three dimensions too.
bool convolves_with_onednn(const Tensor& input, const Tensor& weight, const Convolution& c);
MemoryFormat convolution_format(const Tensor& input, const Tensor& weight, const Convolution& c);
// The geometry for the kernels. For a transposed convolution exchange input and output.
cpu::ConvShape convolution_shape(IntList input, IntList weight, IntList output, const Convolution& c);
// The kernel's name in "... not implemented for 'Int'".
const char* convolution_kernel(const Tensor& weight, const Convolution& c);

// conv1d, conv2d, ...: adds a missing batch dimension, and splits complex numbers into real and imaginary parts.
Tensor convolve_nd(const char* name, int64_t spatial, const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride,
                   IntList padding, IntList dilation, bool transposed, IntList output_padding, int64_t groups);
// As above, with padding="valid" or "same".
Tensor convolve_nd(const char* name, int64_t spatial, const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride,
                   Text padding, IntList dilation, int64_t groups);

}  // namespace mt
