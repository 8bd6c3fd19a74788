// _fused_adamw_: one step of AdamW over lists of tensors.
#include "rules/optim/fused_adam.h"

namespace mt {
namespace {

constexpr auto step_fused_adamw = [](TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                                     TensorList max_exp_avg_sqs, TensorList state_steps, double lr, double beta1, double beta2,
                                     double weight_decay, double eps, bool amsgrad, bool maximize, const Tensor& grad_scale,
                                     const Tensor& found_inf) {
  fused_adam({self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps},
             {lr, beta1, beta2, weight_decay, eps, amsgrad, maximize, /*decoupled=*/true}, grad_scale, found_inf, "fused_adamw_kernel");
};

MT_OP(OpDef{
    .schema = {"_fused_adamw_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] "
               "max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, "
               "bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()",
               "_fused_adamw_.tensor_lr(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, "
               "Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, Tensor lr, float beta1, float beta2, float weight_decay, float eps, "
               "bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()"},
    .forms = function,
    .doc = R"(Makes one step of AdamW for each parameter, in one pass over gradients and state, in place.

(Loshchilov and Hutter, "Decoupled weight decay regularization", ICLR 2019, algorithm 2.)
``torch.optim.AdamW`` with ``fused=True`` uses it. With `grad_scale` gradients are divided first; a
step with `found_inf` set is left out.)",
    .cpu = step_fused_adamw,
    .npu = {"each ApplyAdamWV2(self, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, grads, state_steps, "
            "lr:float, beta1:float, beta2:float, weight_decay:float, eps:float, amsgrad, maximize)"},
    .overloads = {overload("tensor_lr", {.cpu =
                                             [](TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                                                TensorList max_exp_avg_sqs, TensorList state_steps, const Tensor& lr, double beta1,
                                                double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
                                                const Tensor& grad_scale, const Tensor& found_inf) {
                                               step_fused_adamw(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps,
                                                                learning_rate_of(lr), beta1, beta2, weight_decay, eps, amsgrad, maximize,
                                                                grad_scale, found_inf);
                                             }})},
});

}  // namespace
}  // namespace mt
