// What the dispatcher tells a recording: calls of operators, with what they were given; and steps of the backward pass.
#pragma once

#include "core/profile.h"
#include "dispatch/operator.h"

namespace mt {

void install_profiler();
int64_t sequence_of_call();  // the number that a node would get here; -1 where none would be made
// A call that goes another way than through the dispatcher.
int64_t begin_call(const char* name, const Value* args, int n);
// Steps of a backward pass: a node's turn, and the node itself.
int64_t begin_node(const struct Node& node);
int64_t begin_node(const struct Node& node, const Tensor* grads);

}  // namespace mt
