// What all convolutions share: torch's checks and texts, sizes, memory formats, and the way to the kernels.
#pragma once

#include "cpu/conv.h"
#include "rules/layouts.h"

namespace mt {

struct Convolution {
  Dims stride, padding, dilation, output_padding;  // one per spatial dimension
  bool transposed;
  int64_t groups;
};

// A number for all dimensions, or one for each; torch's text otherwise.
Dims per_dimension(IntList values, const char* name, int64_t n);
// Checks everything that torch checks before it computes.
Convolution checked_convolution(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, IntList padding,
                                IntList dilation, bool transposed, IntList output_padding, int64_t groups);
Dims convolution_sizes(IntList input, IntList weight, const Convolution& c);
// Whether oneDNN computes this in torch: results then keep channels-last order in three dimensions too.
bool convolves_with_onednn(const Tensor& input, const Tensor& weight, const Convolution& c);
MemoryFormat convolution_format(const Tensor& input, const Tensor& weight, const Convolution& c);
// The kernels' geometry. For a transposed convolution the input plays the part of the output.
cpu::ConvShape convolution_shape(IntList input, IntList weight, IntList output, const Convolution& c);
// The kernel's name in "... not implemented for 'Int'".
const char* convolution_kernel(const Tensor& weight, const Convolution& c);

// conv1d, conv2d, ...: adds the batch dimension that an input lacks, and takes complex numbers apart.
Tensor convolve_nd(const char* name, int64_t spatial, const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride,
                   IntList padding, IntList dilation, bool transposed, IntList output_padding, int64_t groups);
// With padding="valid" or "same".
Tensor convolve_nd(const char* name, int64_t spatial, const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride,
                   Text padding, IntList dilation, int64_t groups);

}  // namespace mt
