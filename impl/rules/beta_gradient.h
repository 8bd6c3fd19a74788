// Implicit reparameterisation of beta numbers: how a number moves with its parameter at fixed randomness.
#pragma once

namespace mt {

struct DigammaPair {
  double alpha, total;
};

// The derivative by `alpha` of x in (0, 1), drawn from Beta(alpha, total - alpha); `psi` is digamma of alpha and total.
double beta_gradient(double x, double alpha, double total, const DigammaPair& psi);

}  // namespace mt
