// batch_norm, _batch_norm_impl_index: the public batch normalisation, over the native operator.
#include "rules/batch_norm.h"
#include <tuple>

namespace mt {
namespace {

using Indexed = std::tuple<Tensor, Tensor, Tensor, Tensor, int64_t>;

Tensor of_nothing(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  // No elements to normalise, but gradients flow to the parameters.
  Tensor out = op<"clone">(input);
  if (weight.defined() && weight.numel()) out = out * op<"select.int">(weight, 0, 0);
  if (bias.defined() && bias.numel()) out = out + op<"select.int">(bias, 0, 0);
  return out;
}

constexpr auto indexed = [](const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean,
                            const Tensor& var, bool training, double momentum, double eps, bool) -> Indexed {
  if (!training) {
    check(mean.defined(), "running_mean must be defined in evaluation mode");
    check(var.defined(), "running_var must be defined in evaluation mode");
  }
  check_channel_parameters(input, weight, bias, mean, var);
  const Tensor reserve = op<"empty.memory_format">(IntList{0}, Dtype::uint8, nullptr, input.device());
  if (input.numel() == 0) {
    const Dtype wide = is_complex(input.dtype()) ? Dtype::complex128 : Dtype::float64;
    Tensor none =
        op<"empty.memory_format">(IntList{input.dim() > 1 ? input.size(1) : 0}, wide, nullptr, input.device());
    return {of_nothing(input, weight, bias), none, none, reserve, 0};
  }
  auto r = op<"native_batch_norm", Tensors<3>>(input, weight, bias, mean, var, training, momentum, eps);
  return {r[0], r[1], r[2], reserve, 0};
};

MT_OP(OpDef{
    .schema = {"_batch_norm_impl_index(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
               "running_var, bool training, float momentum, "
               "float eps, bool cudnn_enabled) -> (Tensor, Tensor, Tensor, Tensor, int)"},
    .forms = function,
    .doc = "Batch normalisation, what its backward needs, and which implementation did it.",
    .composite = indexed,
});
MT_OP(OpDef{
    .schema = {"_batch_norm_impl_index_backward(int impl_index, Tensor input, Tensor grad_output, Tensor? weight, "
               "Tensor? running_mean, Tensor? running_var, "
               "Tensor? save_mean, Tensor? save_var_transform, bool train, float eps, bool[3] output_mask, Tensor "
               "reservedSpace) -> (Tensor, Tensor, Tensor)"},
    .forms = internal,
    .doc = "The backward of _batch_norm_impl_index.",
    .composite = [](int64_t index, const Tensor& input, const Tensor& grad, const Tensor& weight, const Tensor& mean,
                    const Tensor& var, const Tensor& save_mean, const Tensor& save_var, bool train, double eps,
                    List<uint8_t> mask, const Tensor&) -> Tensors<3> {
      check(index == 0, "Unsupported impl_index in _batch_norm_impl_index_backward: {}", index);
      return op<"native_batch_norm_backward", Tensors<3>>(grad, input, weight, mean, var, save_mean, save_var, train,
                                                          eps, list_value(MT_TAG_BOOLS, mask.data, 3));
    },
});
MT_OP(OpDef{
    .schema = {"batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool "
               "training, float momentum, float eps, "
               "bool cudnn_enabled) -> Tensor"},
    .forms = function,
    .doc = "Normalises each channel of (N, C, ...) by the batch's statistics in training, by the running ones else; "
           "then scales and shifts.",
    .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean,
                    const Tensor& var, bool training, double momentum, double eps, bool cudnn) -> Tensor {
      return std::get<0>(indexed(input, weight, bias, mean, var, training, momentum, eps, cudnn));
    },
});

}  // namespace
}  // namespace mt
