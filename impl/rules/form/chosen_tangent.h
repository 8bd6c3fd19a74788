// Forward mode of maximum and minimum.
#pragma once

#include "rules/form/algebra.h"

namespace mt {

// The tangent of `self` where it is chosen, the mean of both where they are equal, else that of `other`, also where either is NaN.
inline Tensor chosen_tangent(const Tensor& self_is_chosen, const Tensor& are_equal, const Tensor& self, const Tensor& other) {
  const Tensor share = op<"where">(are_equal, 0.5, op<"to.dtype">(self_is_chosen, self.defined() ? self.dtype() : other.dtype()));
  if (!other.defined()) return share * self;
  return self.defined() ? other + share * (self - other) : other - share * other;
}

}  // namespace mt
