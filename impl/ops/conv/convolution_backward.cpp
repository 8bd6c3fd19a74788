// convolution_backward: the gradients of a convolution, which are convolutions of the other two tensors.
#include <algorithm>

#include "core/dispatch_dtype.h"
#include "core/messages.h"
#include "cpu/conv/conv_channels.h"
#include "rules/conv/convolution.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

const char* name_backward_kernel(const Tensor& weight, const Convolution& c) {
  const bool three = weight.dim() == 5, dilated = std::any_of(c.dilation.begin(), c.dilation.end(), [](int64_t d) { return d != 1; });
  if (c.transposed) return three ? "slow_conv_transpose3d_backward_out_cpu" : "slow_conv_transpose2d_backward_out_cpu";
  return dilated ? "slow_conv_dilated<>" : three ? "slow_conv3d_cpu_grad_input" : "slow_conv2d_cpu_grad_input";
}

// If the input has no examples or no channels, all gradients are zeros, whatever the sizes of the incoming gradient, as in torch: the
// result of a convolution of no channels has no channels either.
bool is_input_empty(const Tensor& input) { return input.size(0) == 0 || input.size(1) == 0; }

Tensors<3> zero_gradients(const Tensor& input, const Tensor& weight, const std::optional<IntList>& bias_sizes, const Convolution& c,
                          List<uint8_t> mask) {
  const int64_t channels = c.transposed ? weight.size(1) * c.groups : weight.size(0);
  Tensors<3> out;
  if (mask[0]) out[0] = op<"zeros_like">(input);
  if (mask[1]) out[1] = op<"zeros_like">(weight);
  if (mask[2]) out[2] = op<"new_zeros">(weight, bias_sizes ? *bias_sizes : IntList{channels});
  return out;
}

Convolution check_arguments(const Tensor& grad, const Tensor& input, const Tensor& weight, IntList stride, IntList padding,
                            IntList dilation, bool transposed, IntList output_padding, int64_t groups) {
  Convolution c = checked_convolution(input, weight, Tensor(), stride, padding, dilation, transposed, output_padding, groups);
  check(grad.dim() == input.dim(), "Expected input and grad_output to have the same number of dimensions, but got: {} and {}", input.dim(),
        grad.dim());
  if (is_input_empty(input)) return c;
  const Dims sizes = convolution_sizes(input.sizes(), weight.sizes(), c);
  for (int64_t d = 0; d < grad.dim(); ++d)
    check(grad.size(d) == sizes[d], messages::expected_tensor_dimension_and_size, grad.dim(), d, sizes[d], grad.dim(), d, grad.size(d));
  return c;
}

// Computes the gradients of input and weight if both tensors are channels-last and there is a kernel; otherwise returns false.
bool are_gradients_channels_last(const Tensor& grad, const Tensor& input, const Tensor& weight, const cpu::ConvShape& shape,
                                 bool transposed, MemoryFormat format, List<uint8_t> mask, Tensors<3>& out) {
  bool done = false;
  visit_floating(input.dtype(), [&]<class T>(Type<T>) {
    done = cpu::has_channels_last_gradients<T>(shape);
    if (!done) return;
    if (mask[0]) {
      const Tensor w = convert_to_format(weight, format);
      out[0] = empty(input.sizes(), input.dtype(), input.device(), format);
      const auto run = transposed ? cpu::conv_forward_channels_last<T> : cpu::conv_backward_input_channels_last<T>;
      run(shape, grad.data<T>(), w.template data<T>(), nullptr, out[0].data<T>());
    }
    if (mask[1]) {
      out[1] = empty(weight.sizes(), weight.dtype(), weight.device(), format);
      const Tensor &wide = transposed ? grad : input, &narrow = transposed ? input : grad;
      cpu::conv_backward_weight_channels_last<T>(shape, wide.data<T>(), narrow.data<T>(), out[1].data<T>());
    }
  });
  return done;
}

constexpr auto compute_convolution_backward =
    [](const Tensor& grad, const Tensor& input, const Tensor& weight, const std::optional<IntList>& bias_sizes, IntList stride,
       IntList padding, IntList dilation, bool transposed, IntList output_padding, int64_t groups, List<uint8_t> mask) -> Tensors<3> {
  const Convolution c = check_arguments(grad, input, weight, stride, padding, dilation, transposed, output_padding, groups);
  if (is_input_empty(input)) return zero_gradients(input, weight, bias_sizes, c, mask);
  const char* name = name_backward_kernel(weight, c);
  if (!is_floating(input.dtype())) not_implemented_for(name, input.dtype());
  check(grad.dtype() == input.dtype(), messages::expected_scalar_type, input.dtype(), grad.dtype());
  Tensors<3> out;
  const cpu::ConvShape shape = convolution_shape(input.sizes(), weight.sizes(), grad.sizes(), c);
  const MemoryFormat format = convolution_format(input, weight, c);
  const bool direct = is_stored_channels_last(input, format) && is_stored_channels_last(grad, format) &&
                      are_gradients_channels_last(grad, input, weight, shape, transposed, format, mask, out);
  const Tensor g = direct ? grad : make_planar(grad);
  if (mask[0] && !direct) out[0] = empty(input.sizes(), input.dtype());
  if (mask[1] && !direct) out[1] = empty(weight.sizes(), weight.dtype());
  if (mask[2]) {
    Dims others;
    for (int64_t d = 0; d < g.dim(); ++d)
      if (d != 1) others.push_back(d);
    out[2] = op<"sum.dim_IntList">(g, others);
  }
  if (direct || (!mask[0] && !mask[1])) return out;
  dispatch_floating(input.dtype(), name, [&]<class T>(Type<T>) {
    const T* gp = g.template data<T>();
    if (mask[0] && out[0].numel()) {
      const Tensor w = make_planar(weight);
      const T* wp = w.template data<T>();
      if (transposed)
        cpu::conv_forward<T>(shape, gp, wp, nullptr, out[0].data<T>());
      else
        cpu::conv_backward_input<T>(shape, gp, wp, nullptr, out[0].data<T>());
      out[0] = copy_into_format(out[0], format);
    }
    if (mask[1] && out[1].numel()) {
      const Tensor x = make_planar(input);
      const T* xp = x.template data<T>();
      cpu::conv_backward_weight<T>(shape, transposed ? gp : xp, transposed ? xp : gp, out[1].data<T>());
      out[1] = copy_into_format(out[1], format);
    }
  });
  return out;
};

MT_OP(OpDef{
    .schema = {"convolution_backward(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes, SymInt[] "
               "stride, SymInt[] padding, SymInt[] "
               "dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool[3] output_mask) -> (Tensor, "
               "Tensor, Tensor)"},
    .forms = out,
    .doc = R"(Computes the gradients of a convolution for input, weight and bias, as `output_mask` asks.

Each is a convolution of the other two tensors.)",
    .cpu = compute_convolution_backward,
    .npu = {"ConvolutionBackward(grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, "
            "output_padding, groups, output_mask, 0)"},
    .meta = [](const Tensor& grad, const Tensor& input, const Tensor& weight, const std::optional<IntList>& bias_sizes, IntList stride,
               IntList padding, IntList dilation, bool transposed, IntList output_padding, int64_t groups,
               List<uint8_t> mask) -> Tensors<3> {
      const Convolution c = check_arguments(grad, input, weight, stride, padding, dilation, transposed, output_padding, groups);
      if (is_input_empty(input)) return zero_gradients(input, weight, bias_sizes, c, mask);
      Tensors<3> out;
      if (mask[0]) out[0] = empty(input.sizes(), grad.dtype(), grad.device());
      if (mask[1]) out[1] = empty(weight.sizes(), grad.dtype(), grad.device());
      if (mask[2]) out[2] = empty(bias_sizes ? *bias_sizes : IntList{grad.size(1)}, grad.dtype(), grad.device());
      return out;
    },
    .grad = {wrt({"grad_output", "input", "weight"},
                 [](GradOf<0> ggx, GradOf<1> ggw, GradOf<2> ggb, Wanted wanted, In<"grad_output"> g, In<"input"> x, In<"weight"> w,
                    In<"stride", IntList> stride, In<"padding", IntList> padding, In<"dilation", IntList> dilation,
                    In<"transposed", bool> transposed, In<"output_padding", IntList> output_padding, In<"groups", int64_t> groups) {
                   const uint8_t mask[] = {wanted[0], wanted[1], wanted[2]};
                   return op<"_convolution_double_backward", Tensors<3>>(ggx, ggw, ggb, g, w, x, *stride, *padding, *dilation, *transposed,
                                                                         *output_padding, *groups, list_value(MT_TAG_BOOLS, mask, 3));
                 })},
});

}  // namespace
}  // namespace mt
