// What the dispatcher records for the profiler: operator calls with their arguments, and steps of the backward pass.
#pragma once

#include "core/profile.h"
#include "dispatch/operator.h"

namespace mt {

void install_profiler();
int64_t sequence_of_call();  // the sequence number that a node made here would get; -1 if none would be made
// A call that bypasses the dispatcher.
int64_t begin_call(const char* name, const Value* args, int n);
// A step of the backward pass, and the node inside it.
int64_t begin_backward_step(const struct Node& node);
int64_t begin_node(const struct Node& node, const Tensor* grads);

}  // namespace mt
