// Autocast: per-thread switches by device type, and the handler that casts arguments as an operator's policy says.
#pragma once

#include "dispatch/operator.h"
#include "op.h"

namespace mt {

// NPUs follow other lists than the CPU; an entry says both. These two are theirs alone: asking for a float32 result where the program names
// no dtype, and refusing.
inline constexpr Autocast fp32_dtype = Autocast(4), refused = Autocast(5);
constexpr Autocast on_npu(Autocast policy) { return Autocast(int(policy) << 4); }
constexpr Autocast operator|(Autocast cpu, Autocast npu) { return Autocast(int(cpu) | int(npu)); }
constexpr Autocast everywhere(Autocast policy) { return policy | on_npu(policy); }

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
