// The caching allocator of CPU memory: 64-byte aligned blocks in size classes, reused without system calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>

namespace mt::cpu {

// Thrown by allocate(); what() is torch's message. It owns no memory, so it can be thrown when none is left.
class OutOfMemory : public std::exception {
 public:
  explicit OutOfMemory(size_t bytes) noexcept;
  size_t bytes() const noexcept { return bytes_; }
  const char* what() const noexcept override { return text_; }

 private:
  size_t bytes_;
  char text_[192];
};

// Uninitialised memory, aligned to 64 bytes; nullptr for 0 bytes. Thread-safe. Throws OutOfMemory.
void* allocate(size_t bytes);
// Any thread may free; `bytes` is the requested size. nullptr is allowed.
void deallocate(void* pointer, size_t bytes) noexcept;

struct AllocatorStatistics {
  int64_t allocated_bytes;  // in use now, rounded up to size classes
  int64_t cached_bytes;     // cached for reuse
  int64_t reserved_bytes;   // the sum: what the system has given us
  int64_t peak_allocated_bytes;
  int64_t peak_reserved_bytes;
  int64_t allocation_count;  // calls since the start
  int64_t deallocation_count;
  int64_t system_allocation_count;  // those of them that the system served
  int64_t cache_limit_bytes;
};

// Small blocks are counted per thread; peaks may lag by 64 KB per thread.
AllocatorStatistics allocator_statistics();
void reset_peak_statistics();

// Returns all cached blocks to the system, except those in other threads' caches.
void empty_cache();

}  // namespace mt::cpu
