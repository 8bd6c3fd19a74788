// Counts the foreign objects that the runtime keeps alive: if there are none, a garbage collector has nothing to traverse.
#pragma once

#include <atomic>
#include <cstdint>

namespace mt {

inline std::atomic<int64_t> foreign_objects{0};
inline void count_foreign(int64_t change) { foreign_objects.fetch_add(change, std::memory_order_relaxed); }

// A member of every object that holds a foreign object: counts it as long as it exists.
struct CountedForeign {
  CountedForeign() { count_foreign(1); }
  CountedForeign(const CountedForeign&) = delete;
  CountedForeign& operator=(const CountedForeign&) = delete;
  ~CountedForeign() { count_foreign(-1); }
};

}  // namespace mt
