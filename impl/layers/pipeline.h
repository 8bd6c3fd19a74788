// Pipelines defer calls: an operator returns pending tensors of known shape, and runs when somebody reads one.
#pragma once

#include "dispatch/operator.h"

namespace mt {

void enter_pipeline();
void exit_pipeline();   // runs the deferred calls
void flush_pipeline();  // runs this thread's deferred calls; an error names the operator and the line that queued it

struct PipelineStatistics {
  int64_t queued = 0;  // deferred calls
  int64_t flushes = 0;
  int64_t chains = 0;   // groups of pointwise calls that ran as one pass over memory
  int64_t chained = 0;  // calls in these groups
};
PipelineStatistics pipeline_statistics();  // of this thread

// Writes the source line of the running call ("train.py:12") for error messages; called on any thread.
using SiteFn = void (*)(void* user, char* text, int64_t size);
void set_pipeline_site(SiteFn fn, void* user);

// Whether the elements do not exist yet, or never will because their call failed.
inline bool is_pending(const TensorImpl& t) { return t.keys & key_bit(Key::pipeline); }
// Runs the deferred calls if `t` is a result of one; needed before reading anything but a tensor's shape and dtype.
void resolve_if_pending(const TensorImpl& t);
inline bool may_be_pending(const TensorImpl& t) { return (t.keys | thread_state.included) & key_bit(Key::pipeline); }

void install_pipeline();

}  // namespace mt
