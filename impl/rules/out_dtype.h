// The dtype of an out= as an operator's OutPolicy answers it.
#pragma once

#include "dispatch/out_policy.h"

namespace mt {

// Raises torch's text if results of one dtype are not written to an out= of the other. In a policy's text {2} and {3} are the dtypes
// in lower case.
void check_out_dtype(const OutPolicy& policy, Dtype result, Dtype out);

}  // namespace mt
