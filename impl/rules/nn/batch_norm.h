// Normalisation of channels over the batch: checks, statistics, the transform and its gradients, for every operator of the
// family.
#pragma once

#include "rules/reduction/rows.h"

namespace mt {

// If the input is half, parameters may be float ("mixed"): parameters and statistics then stay float. Raises torch's error messages for
// dtypes that do not match.
bool has_mixed_dtypes(const Tensor& input, std::initializer_list<const Tensor*> parameters);
void check_channel_parameters(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var);
Dtype statistics_dtype(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var);

// Shapes of (output, mean, 1 / deviation); the latter two are empty outside training.
void infer_batch_norm(Specs& out, const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                      const Tensor& running_var, bool training);
// In training normalises by the batch's statistics and updates the running ones (if there are any); otherwise normalises by the running
// statistics.
void batch_norm_forward(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                        const Tensor& running_var, bool training, double momentum, double eps, const Tensor& out, const Tensor& save_mean,
                        const Tensor& save_invstd);
// As batch_norm_forward, for out=: stores the results in the caller's tensors.
void batch_norm_into(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& running_mean, const Tensor& running_var,
                     bool training, double momentum, double eps, const Tensor& out, const Tensor& save_mean, const Tensor& save_invstd);
// Mean and biased variance of each channel, as float or double; updates the running statistics.
Tensors<2> batch_statistics(const Tensor& input, const Tensor& running_mean, const Tensor& running_var, double momentum, Dtype dtype);

Tensors<3> batch_norm_gradients(const Tensor& grad, const Tensor& input, const Tensor& weight, const Tensor& running_mean,
                                const Tensor& running_var, const Tensor& save_mean, const Tensor& save_invstd, bool training, double eps,
                                List<uint8_t> mask);
// Calls native_batch_norm_backward, as the derivative formulas of the forward operators do.
Tensors<3> batch_norm_gradients_of(const Tensor& grad, Wanted wanted, const Tensor& input, const Tensor& weight, const Tensor& running_mean,
                                   const Tensor& running_var, const Tensor& save_mean, const Tensor& save_invstd, bool training,
                                   double eps);
// Gradients of native_batch_norm_backward with respect to grad, input and weight, as operators.
Tensors<3> batch_norm_second_gradients(const Tensor& ggx, const Tensor& ggw, const Tensor& ggb, const Tensor& grad, const Tensor& input,
                                       const Tensor& weight, const Tensor& running_mean, const Tensor& running_var, const Tensor& save_mean,
                                       const Tensor& save_invstd, bool training, double eps);

// The bodies of native_batch_norm and its variants with running statistics.
inline constexpr auto batch_norm_specs = [](Specs& out, const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean,
                                            const Tensor& var, bool training, double,
                                            double) { infer_batch_norm(out, input, weight, bias, mean, var, training); };
inline constexpr auto batch_norm_kernel = [](const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean,
                                             const Tensor& var, bool training, double momentum, double eps, Tensor& out, Tensor& save_mean,
                                             Tensor& save_invstd) {
  batch_norm_forward(input, weight, bias, mean, var, training, momentum, eps, out, save_mean, save_invstd);
};
inline constexpr auto batch_norm_out_kernel = [](const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean,
                                                 const Tensor& var, bool training, double momentum, double eps, const Tensor& out,
                                                 const Tensor& save_mean, const Tensor& save_invstd) {
  batch_norm_into(input, weight, bias, mean, var, training, momentum, eps, out, save_mean, save_invstd);
};
inline constexpr auto batch_norm_formula = [](Grad g, Wanted wanted, In<"input"> x, In<"weight"> w, In<"running_mean"> mean,
                                              In<"running_var"> var, In<"training", bool> training, In<"eps", double> eps,
                                              Out<"result1"> save_mean, Out<"result2"> save_invstd) {
  return batch_norm_gradients_of(g, wanted, x, w, mean, var, save_mean, save_invstd, *training, *eps);
};

}  // namespace mt
