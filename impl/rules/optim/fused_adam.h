// One step of Adam or AdamW over lists of tensors.
#pragma once

#include "rules/optim/fused_optimizer.h"

namespace mt {

struct AdamLists {
  TensorList params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, steps;
};
struct AdamOptions {
  double lr, beta1, beta2, weight_decay, eps;
  bool amsgrad, maximize, decoupled;
};
// `name` is the kernel's name in dtype errors.
void fused_adam(const AdamLists& lists, const AdamOptions& options, const Tensor& grad_scale, const Tensor& found_inf, const char* name);

}  // namespace mt
