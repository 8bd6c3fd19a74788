// Reads several storages of a file before they are used: all in one go, with several threads.
#pragma once

#include <mutex>

#include "io/source.h"

namespace mt::io {

class ReadAhead {
 public:
  struct Wanted {
    size_t number;  // by which the storage is taken
    uint64_t offset, count;
  };
  void read(const Source& source, std::span<const Wanted> wanted);
  // Moves out the storage read for this number; nullptr if none was read, or it was taken already.
  Ref<Storage> take(size_t number);

 private:
  std::mutex mutex_;
  std::vector<Ref<Storage>> storages_;
};

}  // namespace mt::io
