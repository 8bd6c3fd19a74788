// Storages over mapped files.
#pragma once

#include "core/tensor.h"

namespace mt {

// Maps the first nbytes of a file. Shared: writes go to the file, which is created or enlarged if needed. Private: it must exist and be
// large enough, and writes stay in this process.
Ref<Storage> map_file(const char* path, bool shared, int64_t nbytes);
// Whether map_file mapped these bytes; the file's path while writes reach it, else nullptr.
struct FileMapping {
  bool is_mapped = false;
  const char* shared_path = nullptr;
};
FileMapping file_mapping_of(const Storage& storage);
// Maps nbytes of an open file from offset on. The descriptor remains the caller's and may be closed at once.
Ref<Storage> map_descriptor(int descriptor, int64_t offset, int64_t nbytes, bool shared);

}  // namespace mt
