// Checks the dtype of an out= against an operator's OutPolicy.
#pragma once

#include "definition/out_policy.h"

namespace mt {

// Raises torch's error message if results of dtype `result` cannot be written to an `out` of the other dtype. In a policy's message, {2}
// and {3} stand for the two dtypes in lower case.
void check_out_dtype(const OutPolicy& policy, Dtype result, Dtype out);

}  // namespace mt
