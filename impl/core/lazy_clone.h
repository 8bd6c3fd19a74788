// Copy-on-write: storages that share bytes until one of them is written.
#pragma once

#include <atomic>

#include "core/tensor.h"

namespace mt {

// Makes a storage with the bytes of another one, which are copied when either is written. Empty if they were not allocated here.
Ref<Storage> clone_lazily(Storage& storage);
// Makes a storage over memory of others that must not be written: a write first copies the bytes. Never fails once it has the memory.
Ref<Storage> make_read_only_storage(void* data, int64_t nbytes, Device device);
// Sets what frees the memory of make_read_only_storage, after the last step of the caller that can fail.
void set_owner(Storage& read_only, Deleter deleter, void* context);
bool is_lazy_clone(const Storage& storage);  // or read-only
// Gives the storage bytes of its own, unless no other storage shares them and they may be written. Must run before each write.
void copy_shared_bytes(Storage& storage);
// The number of lazy clones: while it is 0, writes need not check their storages.
extern std::atomic<int64_t> lazy_storages;

}  // namespace mt
