// convolution: the operator behind conv1d, conv2d, conv3d and the transposed convolutions.
#include "rules/conv/convolution.h"
#include "core/dispatch_dtype.h"
#include "cpu/conv/conv_channels.h"
#include "cpu/gemm/gemm.h"
#include "rules/pointwise/conversion.h"
#include "rules/reduction/rows.h"
#include "vmap/rule.h"

namespace mt {
namespace {

template <class F>
void dispatch_convolution(Dtype dtype, const char* name, bool every_integer, F&& f) {
  if (visit_floating(dtype, f)) return;
  switch (dtype) {
    case Dtype::int64: return f(Type<int64_t>());
    case Dtype::int32:
      if (every_integer) return f(Type<int32_t>());
      break;
    case Dtype::int16:
      if (every_integer) return f(Type<int16_t>());
      break;
    case Dtype::int8:
      if (every_integer) return f(Type<int8_t>());
      break;
    case Dtype::uint8:
      if (every_integer) return f(Type<uint8_t>());
      break;
    default: break;
  }
  not_implemented_for(name, dtype);
}

// The result of a channels-last input if there is a kernel for it, otherwise undefined.
Tensor convolve_channels_last(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList sizes, const Convolution& c) {
  const MemoryFormat format = convolution_format(input, weight, c);
  if (!is_stored_channels_last(input, format)) return Tensor();
  const cpu::ConvShape shape = convolution_shape(input.sizes(), weight.sizes(), sizes, c);
  Tensor out;
  visit_floating(input.dtype(), [&]<class T>(Type<T>) {
    if (!(c.transposed ? cpu::has_channels_last_gradients<T> : cpu::convolves_channels_last<T>)(shape)) return;
    const Tensor w = convert_to_format(weight, format), b = dense_as(bias, input.dtype());
    out = empty(sizes, input.dtype(), input.device(), format);
    const auto run = c.transposed ? cpu::conv_backward_input_channels_last<T> : cpu::conv_forward_channels_last<T>;
    run(shape, input.data<T>(), w.template data<T>(), b.defined() ? b.template data<T>() : nullptr, out.data<T>());
  });
  return out;
}

constexpr auto compute_convolution = [](const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, IntList padding,
                                        IntList dilation, bool transposed, IntList output_padding, int64_t groups) -> Tensor {
  const Convolution c = checked_convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups);
  Dims sizes = convolution_sizes(input.sizes(), weight.sizes(), c);
  if (input.size(1) == 0) sizes[1] = 0;  // as in torch: no input channels give no output channels
  Tensor out = empty(sizes, input.dtype());
  if (out.numel() == 0) return out;
  if (bias.defined()) warn_of_discarded_parts(input.dtype(), bias.dtype());
  const char* name = convolution_kernel(weight, c);
  if (Tensor direct = convolve_channels_last(input, weight, bias, sizes, c); direct.defined()) return direct;
  const bool plain = std::string_view(name) == "slow_conv2d_cpu" || std::string_view(name) == "compute_columns3d";
  const Tensor x = make_planar(input), w = make_planar(weight), b = dense_as(bias, input.dtype());
  const cpu::ConvShape shape = convolution_shape(input.sizes(), weight.numel() ? weight.sizes() : IntList(w.sizes()), sizes, c);
  dispatch_convolution(input.dtype(), name, plain, [&]<class T>(Type<T>) {
    using cpu::as_wrapping;
    const auto run = transposed ? cpu::conv_backward_input<cpu::Wrapping<T>> : cpu::conv_forward<cpu::Wrapping<T>>;
    run(shape, as_wrapping(x.template data<T>()), as_wrapping(w.template data<T>()),
        b.defined() ? as_wrapping(b.template data<T>()) : nullptr, as_wrapping(out.data<T>()));
  });
  return copy_into_format(out, convolution_format(input, weight, c));
};

// vmap: if the weights are not batched, merges the mapped dimension into the batch of one convolution.
void batch_convolution(const BatchCall& c) {
  if (c.batch(1) || c.batch(2) || c.size == 0 || c.tensor(0).dim() < 3) return batch_looped(c);
  const int64_t batch = c.tensor(0).size(0);
  std::vector<Value> args(c.args, c.args + c.op.n_args);
  const Tensor folded = op<"flatten.using_ints">(c.front(0), 0, 1);
  args[0] = box(folded);
  Results<1> result;
  call(c.op, args.data(), result.values);
  c.set_result(0, op<"unflatten.int">(take_tensor(result.values[0]), 0, IntList{c.size, batch}));
}

MT_OP(OpDef{
    .schema = {"convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] "
               "dilation, bool transposed, "
               "SymInt[] output_padding, SymInt groups) -> Tensor"},
    .forms = function,
    .doc = R"(Computes a convolution of any kind: over one to three dimensions, grouped, dilated or transposed.

``torch.conv2d``, ``torch.conv_transpose2d`` and their siblings call it; they explain sizes and
formulas.

Args:
    input (Tensor): shape ``(N, I, *)``.
    weight (Tensor): kernels; shape ``(O, I / groups, *)``, transposed ``(I, O / groups, *)``.
    bias (Tensor or None): shape ``(O,)``.
    stride (tuple of int): distance of windows.
    padding (tuple of int): zeros on both sides.
    dilation (tuple of int): distance of kernel elements.
    transposed (bool): whether to compute the adjoint.
    output_padding (tuple of int): elements more at the end of a transposed output.
    groups (int): groups of channels that are convolved separately.

Returns:
    Tensor: shape ``(N, O, *)``.

Raises:
    RuntimeError: when dtypes, channels or sizes do not fit.

Example:
    >>> x, w = torch.ones(1, 1, 3), torch.ones(1, 1, 2)
    >>> torch.convolution(x, w, None, (1,), (0,), (1,), False, (0,), 1)
    tensor([[[2., 2.]]]))",
    .cpu = compute_convolution,
    .npu = {"Convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, out, 0)"},
    .meta = [](const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, IntList padding, IntList dilation,
               bool transposed, IntList output_padding, int64_t groups) -> Tensor {
      const Convolution c = checked_convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups);
      return empty(convolution_sizes(input.sizes(), weight.sizes(), c), input.dtype(), input.device());
    },
    .autocast = on_npu(Autocast::lower_precision),
    .grad = {wrt({"input", "weight", "bias"},
                 [](Grad g, Wanted wanted, In<"input"> x, In<"weight"> w, MetaOf<"bias"> bias, In<"stride", IntList> stride,
                    In<"padding", IntList> padding, In<"dilation", IntList> dilation, In<"transposed", bool> transposed,
                    In<"output_padding", IntList> output_padding, In<"groups", int64_t> groups) {
                   const uint8_t mask[] = {wanted[0], wanted[1], wanted[2]};
                   const std::optional<IntList> bias_sizes = bias.defined ? std::optional<IntList>(bias.sizes) : std::nullopt;
                   return op<"convolution_backward", Tensors<3>>(g, x, w, bias_sizes, *stride, *padding, *dilation, *transposed,
                                                                 *output_padding, *groups, list_value(MT_TAG_BOOLS, mask, 3));
                 })},
    .batch = batch_convolution,
});

MT_OP(OpDef{
    .schema = {"_convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] "
               "dilation, bool transposed, "
               "SymInt[] output_padding, SymInt groups, bool benchmark, bool deterministic, bool cudnn_enabled, bool "
               "allow_tf32) -> Tensor"},
    .forms = function,
    .doc = "Computes ``torch.convolution``; the further switches belong to other devices and have no effect.",
    .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, IntList padding, IntList dilation,
                    bool transposed, IntList output_padding, int64_t groups, bool, bool, bool, bool) -> Tensor {
      return op<"convolution">(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups);
    },
    .autocast = on_npu(Autocast::lower_precision),
});

MT_OP(OpDef{
    .schema = {"_convolution.deprecated(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, "
               "SymInt[] dilation, bool transposed, "
               "int[] output_padding, SymInt groups, bool benchmark, bool deterministic, bool cudnn_enabled) -> Tensor"},
    .forms = function,
    .doc = "Computes ``torch.convolution`` by an older signature, whose switches have no effect.",
    .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, IntList padding, IntList dilation,
                    bool transposed, IntList output_padding, int64_t groups, bool, bool, bool) -> Tensor {
      return op<"convolution">(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups);
    },
    .autocast = on_npu(Autocast::lower_precision),
});

}  // namespace
}  // namespace mt
