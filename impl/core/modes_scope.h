// Work done on behalf of another place than the caller's: its keys and modes for a while, then the caller's again.
#pragma once

#include "core/keys.h"

namespace mt {

// Settings that the body changes and that are not the caller's modes (handlers, engine switches) stay.
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
