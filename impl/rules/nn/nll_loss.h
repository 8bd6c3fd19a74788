// Shared by nll_loss and its gradient.
#pragma once

#include "core/messages.h"
#include "rules/reduction/rows.h"

namespace mt {

inline constexpr int64_t nll_mean = 1;  // the value of `reduction`

// Whether a target counts: all do except the ignored one; raises if it is not a class.
inline bool is_target_counted(int64_t target, int64_t ignored, int64_t classes) {
  if (target == ignored) return false;
  check(target >= 0 && target < classes, ErrorKind::index, "Target {} is out of bounds.", target);
  return true;
}

// The total loss from sums in double, whatever the dtype.
template <class T>
T reduced_loss(double losses, double weights, int64_t reduction) {
  return T(ComputeType<T>(reduction == nll_mean ? losses / weights : losses));
}

inline void check_nll_shapes(const Tensor& self, const Tensor& target, const Tensor& weight) {
  check(self.dim() > 0 && self.dim() <= 2, "input tensor should be 1D or 2D");
  check(target.dim() <= 1, messages::multi_target_unsupported);
  const bool no_batch = self.dim() == 1 && target.dim() == 0;
  check(self.dim() != 1 || target.dim() != 1 || target.size(0) == 1, ErrorKind::value,
        "For 1D input, 1D target must have size 1, but got target size: {}", target.dim() ? target.size(0) : 1);
  check(no_batch || self.dim() == 1 || self.size(0) == target.size(0), "size mismatch (got input: {}, target: {})", self.sizes(),
        target.sizes());
  check(target.dtype() == Dtype::int64 || target.dtype() == Dtype::uint8, messages::target_must_be_long_or_byte, target.dtype());
  check(!weight.defined() || (weight.dim() == 1 && weight.numel() == self.size(-1)),
        "weight tensor should be defined either for all {} classes or no classes but got weight tensor of shape: {}", self.size(-1),
        weight.defined() ? weight.sizes() : IntList());
}

}  // namespace mt
