// Convolutions under the names of torch's plain CPU kernels, computed by the common convolution.
#include "rules/conv/slow_convolution.h"
#include "core/messages.h"

namespace mt {

Tensor slow_convolution(const Tensor& self, const Tensor& weight, const Tensor& bias, const SlowConvolution& c) {
  BelowAutograd guard;
  const int64_t rank = c.kernel_size.size(), channels = c.transposed ? 1 : 0;
  const bool single = self.dim() == rank + 1;
  check(IntList(weight.sizes().data + 2, weight.dim() - 2) == c.kernel_size, "weight[2:] shape {} must be equal to kernel_size {}",
        IntList(weight.sizes().data + 2, weight.dim() - 2), c.kernel_size);
  const int64_t wanted = weight.size(1 - channels), at = single ? 0 : 1;
  check(self.size(at) == wanted, messages::expected_tensor_dimension_and_size, self.dim(), at, wanted, self.dim(), at, self.size(at));
  check(!bias.defined() || (bias.dim() == 1 && bias.size(0) == weight.size(channels)), messages::expected_vector_of_size,
        weight.size(channels), bias.defined() ? bias.dim() : 1, bias.defined() && bias.dim() ? bias.size(0) : 0);
  const Tensor out = op<"convolution">(single ? op<"unsqueeze">(self, 0) : Tensor(self), weight, bias, c.stride, c.padding, c.dilation,
                                       c.transposed, c.output_padding, 1);
  return single && !c.transposed ? op<"squeeze.dim">(out, 0) : out;
}

Tensors<3> slow_convolution_gradients(const Tensor& g, Wanted wanted, const Tensor& self, const Tensor& weight, const TensorMeta& bias,
                                      const SlowConvolution& c) {
  const bool single = self.dim() == c.kernel_size.size() + 1;
  const uint8_t mask[] = {wanted[0], wanted[1], wanted[2]};
  const std::optional<IntList> bias_sizes = bias.defined ? std::optional<IntList>(bias.sizes) : std::nullopt;
  auto result = op<"convolution_backward", Tensors<3>>(single && !c.transposed ? op<"unsqueeze">(g, 0) : Tensor(g),
                                                       single ? op<"unsqueeze">(self, 0) : Tensor(self), weight, bias_sizes, c.stride,
                                                       c.padding, c.dilation, c.transposed, c.output_padding, 1,
                                                       list_value(MT_TAG_BOOLS, mask, 3));
  if (single && result[0].defined()) result[0] = op<"squeeze.dim">(result[0], 0);
  return result;
}

}  // namespace mt
