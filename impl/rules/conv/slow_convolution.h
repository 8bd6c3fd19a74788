// Convolutions under the names of torch's plain CPU kernels: their checks, and calls of the common convolution.
#pragma once

#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {

struct SlowConvolution {
  IntList kernel_size, stride, padding, dilation, output_padding;
  bool transposed = false;
};

// An input without a batch is treated as one sample; results of transposed convolutions keep the batch, as in torch.
Tensor slow_convolution(const Tensor& self, const Tensor& weight, const Tensor& bias, const SlowConvolution& c);
Tensors<3> slow_convolution_gradients(const Tensor& g, Wanted wanted, const Tensor& self, const Tensor& weight, const TensorMeta& bias,
                                      const SlowConvolution& c);

namespace detail {
inline constexpr int64_t all_ones_3d[] = {1, 1, 1}, all_zeros_3d[] = {0, 0, 0};
}

// A convolution without dilation or output padding, in as many dimensions as the kernel has.
inline SlowConvolution plain_convolution(IntList kernel, IntList stride, IntList padding) {
  return {kernel, stride, padding, IntList(detail::all_ones_3d, kernel.size()), IntList(detail::all_zeros_3d, kernel.size()), false};
}
inline SlowConvolution dilated_convolution(IntList kernel, IntList stride, IntList padding, IntList dilation) {
  return {kernel, stride, padding, dilation, IntList(detail::all_zeros_3d, kernel.size()), false};
}

inline constexpr auto plain_convolution_gradients = [](Grad g, Wanted wanted, In<"self"> x, In<"weight"> w, MetaOf<"bias"> bias,
                                                       In<"kernel_size", IntList> kernel, In<"stride", IntList> stride,
                                                       In<"padding", IntList> padding) {
  return slow_convolution_gradients(g, wanted, x, w, bias, plain_convolution(*kernel, *stride, *padding));
};
inline constexpr auto dilated_convolution_gradients = [](Grad g, Wanted wanted, In<"self"> x, In<"weight"> w, MetaOf<"bias"> bias,
                                                         In<"kernel_size", IntList> kernel, In<"stride", IntList> stride,
                                                         In<"padding", IntList> padding, In<"dilation", IntList> dilation) {
  return slow_convolution_gradients(g, wanted, x, w, bias, dilated_convolution(*kernel, *stride, *padding, *dilation));
};
inline constexpr auto transposed_convolution_gradients = [](Grad g, Wanted wanted, In<"self"> x, In<"weight"> w, MetaOf<"bias"> bias,
                                                            In<"kernel_size", IntList> kernel, In<"stride", IntList> stride,
                                                            In<"padding", IntList> padding, In<"output_padding", IntList> output_padding,
                                                            In<"dilation", IntList> dilation) {
  return slow_convolution_gradients(g, wanted, x, w, bias, {*kernel, *stride, *padding, *dilation, *output_padding, true});
};

}  // namespace mt
