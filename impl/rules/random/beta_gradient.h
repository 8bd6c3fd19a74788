// Implicit reparameterisation of the beta distribution: the derivative of a sample with respect to a parameter at fixed randomness.
#pragma once

namespace mt {

struct DigammaPair {
  double alpha, total;
};

// The derivative of x with respect to `alpha`, for x in (0, 1) sampled from Beta(alpha, total - alpha); `psi` is digamma of alpha and
// total.
double beta_gradient(double x, double alpha, double total, const DigammaPair& psi);

}  // namespace mt
