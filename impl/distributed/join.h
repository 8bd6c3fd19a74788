// Functions that combine the elements of two ranks for a reduction such as SUM or MIN.
#pragma once

#include "core/dtype.h"
#include "mindtorch/distributed.h"

namespace mt::dist {

// Raises torch's errors for reductions that gloo does not have.
mt_join_fn join_function(int32_t reduction, Dtype dtype);

}  // namespace mt::dist
