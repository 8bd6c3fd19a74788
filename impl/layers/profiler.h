// The profiler's handler: what the dispatcher records of operator calls.
#pragma once

#include "core/profile.h"
#include "dispatch/operator.h"

namespace mt {

void install_profiler();
// Begins the record of a call that bypasses the dispatcher.
int64_t begin_call(const char* name, const Value* args, int n);

}  // namespace mt
