// _native_batch_norm_legit_no_training: native_batch_norm with the running statistics.
#include "rules/nn/batch_norm.h"

namespace mt {
namespace {

constexpr auto infer_native_batch_norm_legit_no_training_shape =
    [](Specs& out, const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var, double, double) {
      infer_batch_norm(out, input, weight, bias, mean, var, false);
    };
constexpr auto compute_native_batch_norm_legit_no_training = [](const Tensor& input, const Tensor& weight, const Tensor& bias,
                                                                const Tensor& mean, const Tensor& var, double momentum, double eps,
                                                                Tensor& out, Tensor& save_mean, Tensor& save_invstd) {
  batch_norm_forward(input, weight, bias, mean, var, false, momentum, eps, out, save_mean, save_invstd);
};

MT_OP(OpDef{
    .schema = {"_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, "
               "Tensor running_var, float momentum, "
               "float eps) -> (Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc = "Computes native_batch_norm by the running statistics, which evaluation uses.",
    .rule = structured(infer_native_batch_norm_legit_no_training_shape),
    .cpu = compute_native_batch_norm_legit_no_training,
    .grad = {wrt({"input", "weight", "bias"},
                 [](Grad g, Wanted wanted, In<"input"> x, In<"weight"> w, In<"running_mean"> mean, In<"running_var"> var,
                    In<"eps", double> eps, Out<"result1"> save_mean, Out<"result2"> save_invstd) {
                   return batch_norm_gradients_of(g, wanted, x, w, mean, var, save_mean, save_invstd, false, *eps);
                 })},
});

}  // namespace
}  // namespace mt
