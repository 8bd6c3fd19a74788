// native_batch_norm: normalises channels by the batch's or by running statistics; with its backward.
#include "rules/form/checked.h"
#include "rules/nn/batch_norm.h"

namespace mt {
namespace {

constexpr auto differentiate_native_batch_norm = [](const Tensor& grad, const Tensor& input, const Tensor& weight, const Tensor& mean,
                                                    const Tensor& var, const Tensor& save_mean, const Tensor& save_invstd, bool training,
                                                    double eps, List<uint8_t> mask) {
  return batch_norm_gradients(grad, input, weight, mean, var, save_mean, save_invstd, training, eps, mask);
};

MT_OP(OpDef{
    .schema = {"native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
               "running_var, bool training, float momentum, "
               "float eps) -> (Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Computes batch normalisation and returns the statistics that its backward needs, too.

See `torch.batch_norm` for the formula.

Args:
    input (Tensor): ``(N, C, ...)``; floating.
    weight, bias (Tensor, optional): scale and shift of each channel, ``(C,)``.
    running_mean, running_var (Tensor, optional): running statistics of each channel, ``(C,)``.
    training (bool): whether to use, and record, the batch's statistics.
    momentum (float): the part of the batch's statistics in the moved ones.
    eps (float): what is added to the variance.

Returns:
    tuple of Tensor: the output, and each channel's mean and 1 / sqrt(var + eps), both empty in
        evaluation.

Example:
    >>> x = torch.tensor([[1.0], [3.0]])
    >>> torch.native_batch_norm(x, None, None, None, None, True, 0.1, 0.0)[1:]
    (tensor([2.]), tensor([1.])))",
    .rule = rule_after_check(refuse_meta_mixtures, structured(batch_norm_specs)),
    .cpu = batch_norm_kernel,
    .npu = {"BatchNorm"},
    .grad = {wrt({"input", "weight", "bias"}, batch_norm_formula)},
});

MT_OP(OpDef{
    .schema = {"native_batch_norm.out(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
               "running_var, bool training, float momentum, "
               "float eps, *, Tensor(a!) out, Tensor(b!) save_mean, Tensor(c!) save_invstd) -> (Tensor(a!), "
               "Tensor(b!), Tensor(c!))"},
    .forms = out,
    .doc = "Computes native_batch_norm into the caller's tensors.",
    .cpu = batch_norm_out_kernel,
});

MT_OP(OpDef{
    .schema = {"native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? weight, Tensor? running_mean, "
               "Tensor? running_var, Tensor? save_mean, "
               "Tensor? save_invstd, bool train, float eps, bool[3] output_mask) -> (Tensor, Tensor, Tensor)"},
    .forms = internal,
    .doc = "Computes batch normalisation's gradients for input, weight and bias, as `output_mask` asks.",
    .cpu = differentiate_native_batch_norm,
    .npu = {"BatchNormBackward"},
    .meta = differentiate_native_batch_norm,
    .grad = {wrt({"grad_out", "input", "weight"},
                 [](GradOf<0> ggx, GradOf<1> ggw, GradOf<2> ggb, In<"grad_out"> g, In<"input"> x, In<"weight"> w, In<"running_mean"> mean,
                    In<"running_var"> var, In<"save_mean"> save_mean, In<"save_invstd"> save_invstd, In<"train", bool> training,
                    In<"eps", double> eps) {
                   return batch_norm_second_gradients(ggx, ggw, ggb, g, x, w, mean, var, save_mean, save_invstd, *training, *eps);
                 })},
});

}  // namespace
}  // namespace mt
