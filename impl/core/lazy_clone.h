// Copy-on-write: storages that share bytes until one of them is written.
#pragma once

#include <atomic>

#include "core/tensor.h"

namespace mt {

// Makes a storage with the bytes of another one, which are copied when either is written. Empty if they were not allocated here.
Ref<Storage> clone_lazily(Storage& storage);
bool is_lazy_clone(const Storage& storage);
// Must run before a write: copies the bytes unless no other storage has them.
void copy_shared_bytes(Storage& storage);
// How many storages share bytes; while none does, a write need not look at its storages.
extern std::atomic<int64_t> lazy_storages;

}  // namespace mt
