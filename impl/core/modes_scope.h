// Runs a body with the dispatch keys and modes of another thread or call, then restores the caller's.
#pragma once

#include "core/keys.h"

namespace mt {

// Restores keys and modes only, not other settings that the body changes (handlers, engine switches).
class ModesScope {
 public:
  ModesScope() : before_(thread_state) {}
  ~ModesScope() {
    thread_state.included = before_.included;
    thread_state.excluded = before_.excluded;
    thread_state.grad_mode = before_.grad_mode;
    thread_state.inference_mode = before_.inference_mode;
    thread_state.anomaly = before_.anomaly;
  }
  ModesScope(const ModesScope&) = delete;
  ModesScope& operator=(const ModesScope&) = delete;

 private:
  ThreadState before_;
};

}  // namespace mt
