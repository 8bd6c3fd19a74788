// Warnings that a process emits once, as torch does for warnings that a loop would repeat.
#pragma once

#include <atomic>

#include "core/error.h"
#include "core/options.h"

namespace mt {

// Warns once for each `given`, a static flag of the caller; always if MT_OPTION_WARN_ALWAYS is set.
template <class... Args>
void warn_once(std::atomic<bool>& given, const char* format, const Args&... args) {
  if (get_option(MT_OPTION_WARN_ALWAYS) || (!given.load(std::memory_order_relaxed) && !given.exchange(true))) warn(format, args...);
}

}  // namespace mt
