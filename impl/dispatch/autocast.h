// Autocast: per-thread switches by device type, and the handler that casts arguments by the operator's policy.
#pragma once

#include "dispatch/operator.h"
#include "op.h"

namespace mt {

// An operator's entry states its policy on the CPU and another one on NPUs. Two policies exist for NPUs only: fp32_dtype requests a float32
// result if the program names no dtype, and refused raises an error.
inline constexpr Autocast fp32_dtype = Autocast(4), refused = Autocast(5);
constexpr Autocast on_npu(Autocast policy) { return Autocast(int(policy) << 4); }
constexpr Autocast operator|(Autocast cpu, Autocast npu) { return Autocast(int(cpu) | int(npu)); }
constexpr Autocast everywhere(Autocast policy) { return policy | on_npu(policy); }

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
