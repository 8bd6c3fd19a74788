// _batch_norm_with_update, _batch_norm_no_update and their backward: batch normalisation with an output for a device's
// workspace.
#include "rules/nn/batch_norm.h"

namespace mt {
namespace {

void add_reserve_spec(Specs& out) { out.add({0}, Dtype::uint8); }

template <bool Training>
constexpr auto infer_batch_norm_with_update_shape =
    [](Specs& out, const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var, double, double) {
      infer_batch_norm(out, input, weight, bias, mean, var, Training);
      add_reserve_spec(out);
    };
template <bool Training>
constexpr auto compute_batch_norm_with_update =
    [](const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var, double momentum, double eps,
       Tensor& out, Tensor& save_mean, Tensor& save_invstd,
       Tensor&) { batch_norm_forward(input, weight, bias, mean, var, Training, momentum, eps, out, save_mean, save_invstd); };
constexpr auto infer_batch_norm_with_update_functional_shape = [](Specs& out, const Tensor& input, const Tensor& weight, const Tensor& bias,
                                                                  const Tensor& mean, const Tensor& var, double, double) {
  infer_batch_norm(out, input, weight, bias, mean, var, true);
  add_reserve_spec(out);
  out.add(mean.sizes(), mean.dtype());
  out.add(var.sizes(), var.dtype());
};
constexpr auto compute_batch_norm_with_update_functional =
    [](const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var, double momentum, double eps,
       Tensor& out, Tensor& save_mean, Tensor& save_invstd, Tensor&, Tensor& new_mean, Tensor& new_var) {
      copy_into(new_mean, mean), copy_into(new_var, var);
      batch_norm_forward(input, weight, bias, new_mean, new_var, true, momentum, eps, out, save_mean, save_invstd);
    };
template <bool Training>
constexpr auto differentiate_batch_norm_with_update =
    [](Grad g, Wanted wanted, In<"input"> x, In<"weight"> w, In<"running_mean"> mean, In<"running_var"> var, In<"eps", double> eps,
       Out<"result1"> save_mean,
       Out<"result2"> save_invstd) { return batch_norm_gradients_of(g, wanted, x, w, mean, var, save_mean, save_invstd, Training, *eps); };
constexpr auto compute_batch_norm_with_update_backward =
    [](const Tensor& grad, const Tensor& input, const Tensor& weight, const Tensor& mean, const Tensor& var, const Tensor& save_mean,
       const Tensor& save_var, bool update, double eps, List<uint8_t> mask,
       const Tensor&) { return batch_norm_gradients(grad, input, weight, mean, var, save_mean, save_var, update, eps, mask); };

MT_OP(OpDef{
    .schema = {"_batch_norm_with_update(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, "
               "Tensor(b!) running_var, float momentum, float "
               "eps) -> (Tensor, Tensor, Tensor, Tensor)"},
    .forms = internal,
    .doc = R"(Normalises by the batch's statistics and moves the running ones.

Returns the output, the mean, the reciprocal deviation and an empty workspace; exported graphs
use it.)",
    .rule = structured(infer_batch_norm_with_update_shape<true>),
    .cpu = compute_batch_norm_with_update<true>,
    .grad = {wrt({"input", "weight", "bias"}, differentiate_batch_norm_with_update<true>)},
});
MT_OP(OpDef{
    .schema = {"_batch_norm_no_update(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
               "running_var, float momentum, float eps) -> "
               "(Tensor, Tensor, Tensor, Tensor)"},
    .forms = internal,
    .doc = R"(Normalises by the running statistics.

It is the counterpart of _batch_norm_with_update for evaluation.)",
    .rule = structured(infer_batch_norm_with_update_shape<false>),
    .cpu = compute_batch_norm_with_update<false>,
    .grad = {wrt({"input", "weight", "bias"}, differentiate_batch_norm_with_update<false>)},
});
MT_OP(OpDef{
    .schema = {"_batch_norm_with_update_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, "
               "Tensor running_var, float momentum, float "
               "eps) -> (Tensor, Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)"},
    .forms = internal,
    .doc = "Normalises by the batch's statistics and returns the moved running ones instead of writing them.",
    .rule = structured(infer_batch_norm_with_update_functional_shape),
    .cpu = compute_batch_norm_with_update_functional,
    .grad = {wrt({"input", "weight", "bias"}, differentiate_batch_norm_with_update<true>)},
});
MT_OP(OpDef{
    .schema = {"batch_norm_backward(Tensor grad_out, Tensor input, Tensor weight, Tensor? running_mean, Tensor? "
               "running_var, Tensor? save_mean, Tensor? "
               "save_var, bool update, float eps, bool[3] output_mask, Tensor reserve) -> (Tensor, Tensor, Tensor)"},
    .forms = internal,
    .doc = "Computes batch normalisation's gradients for input, weight and bias, as `output_mask` asks.",
    .cpu = compute_batch_norm_with_update_backward,
    .meta = compute_batch_norm_with_update_backward,
    .grad = {wrt({"grad_out", "input", "weight"},
                 [](GradOf<0> ggx, GradOf<1> ggw, GradOf<2> ggb, In<"grad_out"> g, In<"input"> x, In<"weight"> w, In<"running_mean"> mean,
                    In<"running_var"> var, In<"save_mean"> save_mean, In<"save_var"> save_var, In<"update", bool> update,
                    In<"eps", double> eps) {
                   return batch_norm_second_gradients(ggx, ggw, ggb, g, x, w, mean, var, save_mean, save_var, *update, *eps);
                 })},
});

}  // namespace
}  // namespace mt
