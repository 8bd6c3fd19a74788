// batch_norm, _batch_norm_impl_index: the public batch normalisation, over the native operator.
#include "rules/nn/batch_norm.h"
#include <tuple>
#include "core/messages.h"

namespace mt {
namespace {

using NormWithBackendIndex = std::tuple<Tensor, Tensor, Tensor, Tensor, int64_t>;

Tensor normalise_empty(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  // There are no elements to normalise, but gradients must flow to the parameters.
  Tensor out = op<"clone">(input);
  if (weight.defined() && weight.numel()) out = out * op<"select.int">(weight, 0, 0);
  if (bias.defined() && bias.numel()) out = out + op<"select.int">(bias, 0, 0);
  return out;
}

constexpr auto compute_batch_norm_impl_index = [](const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean,
                                                  const Tensor& var, bool training, double momentum, double eps,
                                                  bool) -> NormWithBackendIndex {
  if (!training) {
    check(mean.defined(), messages::running_mean_undefined);
    check(var.defined(), "running_var must be defined in evaluation mode");
  }
  check_channel_parameters(input, weight, bias, mean, var);
  const Tensor reserve = op<"empty.memory_format">(IntList{0}, Dtype::uint8, nullptr, input.device());
  if (input.numel() == 0) {
    const Dtype wide = is_complex(input.dtype()) ? Dtype::complex128 : Dtype::float64;
    Tensor none = op<"empty.memory_format">(IntList{input.dim() > 1 ? input.size(1) : 0}, wide, nullptr, input.device());
    return {normalise_empty(input, weight, bias), none, none, reserve, 0};
  }
  auto r = op<"native_batch_norm", Tensors<3>>(input, weight, bias, mean, var, training, momentum, eps);
  return {r[0], r[1], r[2], reserve, 0};
};

MT_OP(OpDef{
    .schema = {"_batch_norm_impl_index(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
               "running_var, bool training, float momentum, "
               "float eps, bool cudnn_enabled) -> (Tensor, Tensor, Tensor, Tensor, int)"},
    .forms = function,
    .doc = R"(Computes batch normalisation, what its backward needs, and the number of the implementation.

It is batch_norm's older form.)",
    .composite = compute_batch_norm_impl_index,
});
MT_OP(OpDef{
    .schema = {"_batch_norm_impl_index_backward(int impl_index, Tensor input, Tensor grad_output, Tensor? weight, "
               "Tensor? running_mean, Tensor? running_var, "
               "Tensor? save_mean, Tensor? save_var_transform, bool train, float eps, bool[3] output_mask, Tensor "
               "reservedSpace) -> (Tensor, Tensor, Tensor)"},
    .forms = internal,
    .doc = "Computes the gradients of _batch_norm_impl_index.",
    .composite = [](int64_t index, const Tensor& input, const Tensor& grad, const Tensor& weight, const Tensor& mean, const Tensor& var,
                    const Tensor& save_mean, const Tensor& save_var, bool train, double eps, List<uint8_t> mask,
                    const Tensor&) -> Tensors<3> {
      check(index == 0, "Unsupported impl_index in _batch_norm_impl_index_backward: {}", index);
      return op<"native_batch_norm_backward", Tensors<3>>(grad, input, weight, mean, var, save_mean, save_var, train, eps,
                                                          list_value(MT_TAG_BOOLS, mask.data, 3));
    },
});
MT_OP(OpDef{
    .schema = {"batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool "
               "training, float momentum, float eps, "
               "bool cudnn_enabled) -> Tensor"},
    .forms = function,
    .doc = R"(Normalises each channel by the batch's mean and variance in training, by the running ones otherwise.

y = (x - mean) / sqrt(var + eps) * weight + bias, per channel, with the biased variance (Ioffe
and Szegedy, "Batch Normalization", 2015). In training the running statistics, if given, become
(1 - momentum) * running + momentum * batch in place, with the unbiased variance.
`torch.nn.functional.batch_norm` is the convenient form.

Args:
    input (Tensor): ``(N, C, ...)``; floating.
    weight, bias (Tensor, optional): scale and shift of each channel, ``(C,)``.
    running_mean, running_var (Tensor, optional): running statistics of each channel, ``(C,)``.
    training (bool): whether to use, and record, the batch's statistics.
    momentum (float): the part of the batch's statistics in the moved ones.
    eps (float): what is added to the variance.
    cudnn_enabled (bool): without effect here.

Returns:
    Tensor: the shape and dtype of `input`.

Raises:
    RuntimeError: when a parameter's size is not C, or evaluation has no running statistics.

Example:
    >>> x = torch.tensor([[1.0], [3.0]])
    >>> torch.batch_norm(x, None, None, None, None, True, 0.1, 0.0, False)
    tensor([[-1.],
            [ 1.]]))",
    .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var, bool training,
                    double momentum, double eps, bool cudnn) -> Tensor {
      return std::get<0>(compute_batch_norm_impl_index(input, weight, bias, mean, var, training, momentum, eps, cudnn));
    },
});

}  // namespace
}  // namespace mt
