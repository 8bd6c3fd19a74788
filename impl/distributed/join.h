// How elements of two ranks become one.
#pragma once

#include "core/dtype.h"
#include "mindtorch/distributed.h"

namespace mt::dist {

// Throws torch's texts where gloo has no such reduction.
mt_join_fn join_function(int32_t reduction, Dtype dtype);

}  // namespace mt::dist
