// Warnings that a process emits once, as torch does for warnings that a loop would repeat.
#pragma once

#include <atomic>

#include "core/error.h"
#include "core/options.h"

namespace mt {

// `given` is a static std::atomic<bool> of the caller.
template <class... Args>
void warn_once(std::atomic<bool>& given, const char* format, const Args&... args) {
  if (get_option(MT_OPTION_WARN_ALWAYS) || (!given.load(std::memory_order_relaxed) && !given.exchange(true))) warn(format, args...);
}

}  // namespace mt
