// The generators of NPUs: a seed and an offset, which each kernel that draws numbers moves on.
#pragma once

#include "core/generator.h"

namespace mt::npu {

// More counters than one kernel uses for an element, and a multiple of 4 as torch counts.
inline constexpr uint64_t counters_per_call = 12;
inline constexpr int64_t state_bytes = 16;

Generator& default_generator_of(int device);  // lives for ever

}  // namespace mt::npu
