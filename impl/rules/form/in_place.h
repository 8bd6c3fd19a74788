// Kernels that modify a copy of their first argument: the in-place form lets them modify the argument itself.
#pragma once

#include "rules/form/rule.h"

namespace mt {

// For `.cpu` of a plain kernel that returns either a modified copy, or the argument itself if may_modify_in_place() allows it.
CpuKernel make_in_place_kernel(BoxedKernel kernel);
template <class F>
CpuKernel in_place_kernel(F f) {
  return make_in_place_kernel(BoxedKernel(f));
}
// Inside such a kernel: whether to modify `self` itself. It is contiguous then, and overlaps no other argument.
bool may_modify_in_place(const Tensor& self);
// The tensor to modify and return: `self` if allowed, otherwise a contiguous copy (for a meta tensor without contents).
Tensor reuse_self_or_copy(const Tensor& self);

}  // namespace mt
