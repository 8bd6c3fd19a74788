// Scratch memory of a kernel, from the caching allocator.
#pragma once

#include <cstdint>

#include "core/allocator.h"

namespace mt::cpu {

template <class P>
class Buffer {
 public:
  explicit Buffer(int64_t count) : bytes_(static_cast<size_t>(count) * sizeof(P)), data_(allocate(bytes_)) {}
  ~Buffer() { deallocate(data_, bytes_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  P* data() { return static_cast<P*>(data_); }

 private:
  size_t bytes_;
  void* data_;
};

}  // namespace mt::cpu
