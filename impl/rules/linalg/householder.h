// Products of Householder reflectors H_i = I - tau_i v_i v_i^H, v_i a column of `geqrf`'s lower triangle with a one on
// the diagonal.
#pragma once

#include "rules/linalg/linalg.h"

namespace mt {

struct ReflectorGradients {
  Tensor vectors, tau, other;
};
// The gradients of H_1 H_2 ... H_k C, or of H_k^H ... H_1^H C if `adjointed`, from the result's gradient.
ReflectorGradients reflector_gradients(const Tensor& g, const Tensor& vectors, const Tensor& tau, const Tensor& c, bool adjointed);

}  // namespace mt
