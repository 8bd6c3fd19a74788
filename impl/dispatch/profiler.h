// What the dispatcher records for the profiler: operator calls with their arguments, and steps of the backward pass.
#pragma once

#include "core/profile.h"
#include "dispatch/operator.h"

namespace mt {

void install_profiler();
int64_t sequence_of_call();  // the sequence number that a node made here would get; -1 if none would be made
// Begins the record of a call that bypasses the dispatcher.
int64_t begin_call(const char* name, const Value* args, int n);
// begin_backward_step begins the record of one step of the backward pass, begin_node that of the node which runs in this step.
int64_t begin_backward_step(const struct Node& node);
int64_t begin_node(const struct Node& node, const Tensor* grads);

}  // namespace mt
