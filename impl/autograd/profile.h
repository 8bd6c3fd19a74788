// What the profiler records of autograd: the steps of a backward pass, and the sequence numbers that tie them to forward calls.
#pragma once

#include "autograd/node.h"

namespace mt {

int64_t sequence_of_call();  // the sequence number that a node made here would get; -1 if none would be made
// begin_backward_step begins the record of one step of the backward pass, begin_node that of the node which runs in this step.
int64_t begin_backward_step(const Node& node);
int64_t begin_node(const Node& node, const Tensor* grads);

}  // namespace mt
