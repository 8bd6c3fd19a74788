// The generators of NPUs: a seed, and an offset that advances with each kernel that draws numbers.
#pragma once

#include "core/generator.h"

namespace mt::npu {

// How far a kernel advances the offset: more counters than any kernel uses per element, and a multiple of 4, the unit in which torch
// counts.
inline constexpr uint64_t counters_per_call = 12;
inline constexpr int64_t state_bytes = 16;

Generator& default_generator_of(int device);  // never freed

}  // namespace mt::npu
