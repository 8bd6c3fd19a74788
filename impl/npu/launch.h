// Runs aclnn operators: the generic caller, and two functions for copies and fills.
#pragma once

#include "core/scalar.h"
#include "dispatch/operator.h"

namespace mt::npu {

// Installs the NPU handler of an operator whose definition names an aclnn operator.
void install(Operator& op);
// Returns the specification of an operator's aclnn operator: variant 0, or 1 for a number instead of the last tensor. nullptr if there is
// none.
const char* kernel_text(const Operator& op, int variant);

void launch_copy(const Tensor& target, const Tensor& source);  // on one device
void launch_fill(const Tensor& tensor, const Scalar& value);

}  // namespace mt::npu
