// Process-wide switches (MT_OPTION_* of the C ABI): determinism, matmul precision, the choice of attention kernels, checks.
#pragma once

#include <atomic>
#include <cstdint>

#include "mindtorch/runtime.h"

namespace mt {

namespace detail {
// By default every attention kernel is allowed and deterministic runs fill new memory; all else is off. The last option, checks of sparse
// tensors, has three states: 2 means that nobody has set it.
inline std::atomic<int32_t> options[MT_OPTION_COUNT] = {0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 2};
}  // namespace detail

inline int32_t get_option(int32_t option) { return detail::options[option].load(std::memory_order_relaxed); }
inline void set_option(int32_t option, int32_t value) { detail::options[option].store(value, std::memory_order_relaxed); }

}  // namespace mt
