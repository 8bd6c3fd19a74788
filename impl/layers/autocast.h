// Autocast: per-thread switches by device type, and the handler that casts arguments by the operator's policy.
#pragma once

#include "dispatch/operator.h"

namespace mt {

// Installs the autocast handler of an operator that has a policy.
void install_autocast(Operator& op);

struct AutocastSettings {
  bool enabled = false;
  Dtype dtype = Dtype::none;
};
// RuntimeError for device types without autocast.
AutocastSettings get_autocast(int32_t device_type);
void set_autocast(int32_t device_type, AutocastSettings settings);

// The cache keeps casts of leaf parameters until the outermost region ends: a weight is cast once per step.
bool autocast_cache_enabled();
void set_autocast_cache_enabled(bool on);
void clear_autocast_cache();

}  // namespace mt
