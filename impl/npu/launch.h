// Running aclnn operators: one caller for all, and the two that copies and fills need.
#pragma once

#include "core/scalar.h"
#include "dispatch/operator.h"

namespace mt::npu {

// Gives an operator of the registry its NPU handler, where its entry names an aclnn operator.
void install(Operator& op);
// The entry's text for an aclnn operator: variant 0, or 1 for a number in place of the last tensor. nullptr where there is none.
const char* kernel_text(const Operator& op, int variant);

void launch_copy(const Tensor& target, const Tensor& source);  // on one device
void launch_fill(const Tensor& tensor, const Scalar& value);

}  // namespace mt::npu
