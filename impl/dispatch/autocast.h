// Autocast: per-thread switches by device type, and the handler that casts arguments as an operator's policy says.
#pragma once

#include "dispatch/operator.h"

namespace mt {

// Sets the autocast slot of an operator that has a policy.
void install_autocast(Operator& op);

struct AutocastSettings {
  bool enabled = false;
  Dtype dtype = Dtype::none;
};
// RuntimeError for device types that autocast does not know.
AutocastSettings get_autocast(int32_t device_type);
void set_autocast(int32_t device_type, AutocastSettings settings);

// Casts of leaf parameters are kept until the outermost region ends, so that a weight is cast once a step.
bool autocast_cache_enabled();
void set_autocast_cache_enabled(bool on);
void clear_autocast_cache();

}  // namespace mt
