// Warnings that a process gives once, as torch does where a loop would repeat them.
#pragma once

#include <atomic>

#include "core/error.h"
#include "core/options.h"

namespace mt {

// `given` is the place's own: static std::atomic<bool>.
template <class... Args>
void warn_once(std::atomic<bool>& given, const char* format, const Args&... args) {
  if (get_option(MT_OPTION_WARN_ALWAYS) || (!given.load(std::memory_order_relaxed) && !given.exchange(true))) warn(format, args...);
}

}  // namespace mt
