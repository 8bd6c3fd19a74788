// Names the ranges of a backward pass as torch's profiler does.
#include "autograd/profile.h"

#include <cstring>

#include "core/profile.h"
#include "dispatch/profiled_inputs.h"

namespace mt {
namespace {

std::string full_name(const Node& node) {
  for (const char* own : {"AccumulateGrad", "CopySlices", "CopyBackwards"})
    if (!std::strcmp(node.name, own)) return std::string("torch::autograd::") + own;
  return node.name;
}

int64_t begin_event(int32_t kind, const Node& node, std::string name) {
  return begin_range(kind, nullptr, std::move(name), int64_t(node.sequence_nr), node.variable() ? 0 : node.thread);
}

}  // namespace

int64_t sequence_of_call() {
  return thread_state.grad_mode && !(thread_state.excluded & key_bit(Key::autograd)) ? int64_t(peek_sequence_nr()) : -1;
}

int64_t begin_backward_step(const Node& node) {
  return begin_event(MT_PROFILE_OPERATOR, node, "autograd::engine::evaluate_function: " + full_name(node));
}

int64_t begin_node(const Node& node, const Tensor* grads) {
  const int64_t token = begin_event(MT_PROFILE_BACKWARD, node, full_name(node));
  if (records_shapes()) {
    Profile& p = *profile_thread.profile;
    for (int i = 0; i < node.n_inputs; ++i) record_tensor_input(p, grads[i], MT_TAG_NONE);
    open_range().seen.n_inputs = node.n_inputs;
  }
  return token;
}

}  // namespace mt
