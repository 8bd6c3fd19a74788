// _native_batch_norm_legit_functional: native_batch_norm that returns updated running statistics instead of writing them.
#include "rules/nn/batch_norm.h"

namespace mt {
namespace {

constexpr auto infer_native_batch_norm_legit_functional_shape = [](Specs& out, const Tensor& input, const Tensor& weight,
                                                                   const Tensor& bias, const Tensor& mean, const Tensor& var, bool training,
                                                                   double, double) {
  infer_batch_norm(out, input, weight, bias, mean, var, training);
  out.add(mean.sizes(), mean.dtype());
  out.add(var.sizes(), var.dtype());
};
constexpr auto compute_native_batch_norm_legit_functional =
    [](const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var, bool training, double momentum,
       double eps, Tensor& out, Tensor& save_mean, Tensor& save_invstd, Tensor& new_mean, Tensor& new_var) {
      copy_into(new_mean, mean), copy_into(new_var, var);
      batch_norm_forward(input, weight, bias, new_mean, new_var, training, momentum, eps, out, save_mean, save_invstd);
    };

constexpr auto differentiate_native_batch_norm_legit_functional =
    [](Grad g, Wanted wanted, In<"input"> x, In<"weight"> w, In<"running_mean"> mean, In<"running_var"> var, In<"training", bool> training,
       In<"eps", double> eps, Out<"result1"> save_mean,
       Out<"result2"> save_invstd) { return batch_norm_gradients_of(g, wanted, x, w, mean, var, save_mean, save_invstd, *training, *eps); };

MT_OP(OpDef{
    .schema = {"_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor "
               "running_var, bool training, "
               "float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)"},
    .forms = internal,
    .doc = "Computes native_batch_norm and returns the moved running statistics instead of writing them.",
    .rule = structured(infer_native_batch_norm_legit_functional_shape),
    .cpu = compute_native_batch_norm_legit_functional,
    .grad = {wrt({"input", "weight", "bias"}, differentiate_native_batch_norm_legit_functional)},
});

}  // namespace
}  // namespace mt
