// Pipeline: calls that wait. Inside a pipeline an operator says what its results will be, and is run when somebody looks at one.
#pragma once

#include "dispatch/operator.h"

namespace mt {

void enter_pipeline();
void exit_pipeline();   // runs what waits
void flush_pipeline();  // runs what waits on this thread; a failure names the operator and where it was queued

struct PipelineStatistics {
  int64_t queued = 0;  // calls that waited
  int64_t flushes = 0;
  int64_t chains = 0;   // runs of pointwise calls that went through memory together
  int64_t chained = 0;  // calls in them
};
PipelineStatistics pipeline_statistics();  // of this thread

// Writes where in a program the running call stands ("train.py:12"), for errors; may be called on any thread.
using SiteFn = void (*)(void* user, char* text, int64_t size);
void set_pipeline_site(SiteFn fn, void* user);

// Whether the tensor's elements do not exist yet, or never will since the call that should make them failed.
inline bool is_pending(const TensorImpl& t) { return t.keys & key_bit(Key::pipeline); }
// Before anything but shape and dtype of a tensor is looked at.
void settle(const TensorImpl& t);
inline bool may_have_to_settle(const TensorImpl& t) { return (t.keys | thread_state.included) & key_bit(Key::pipeline); }

void install_pipeline();

}  // namespace mt
