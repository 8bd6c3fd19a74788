// Kernels that change a copy of their first argument: the in-place form lets them change the argument itself.
#pragma once

#include "rules/rule.h"

namespace mt {

// For `.cpu` of a plain kernel whose result is either a copy that it changed, or the argument where may_change() says so.
CpuKernel make_in_place_kernel(BoxedKernel kernel);
template <class F>
CpuKernel changing(F f) {
  return make_in_place_kernel(BoxedKernel(f));
}
// Within such a kernel: whether `self` itself is to be changed. It is contiguous then, and shares no memory with another argument.
bool may_change(const Tensor& self);
// What such a kernel changes and returns: `self` where it may, else a contiguous copy (of a meta tensor without contents).
Tensor choose_target(const Tensor& self);

}  // namespace mt
