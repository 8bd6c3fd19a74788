// Storages: memory from the CPU's caching allocator, from a device, from the caller, or none (meta).
#include <atomic>
#include <cstring>
#include <new>

#include "core/allocator.h"
#include "core/backend.h"
#include "core/foreign.h"
#include "core/lazy_clone.h"
#include "core/profile.h"
#include "core/tensor.h"

namespace mt {

namespace {

void* allocate_cpu_bytes(int64_t nbytes) {
  void* data = cpu::allocate(size_t(nbytes));
  if (is_profiling()) record_memory(data, nbytes, /*is_freed=*/false);
  return data;
}
void free_cpu_bytes(void* data, int64_t nbytes) {
  if (is_profiling()) record_memory(data, nbytes, /*is_freed=*/true);
  cpu::deallocate(data, size_t(nbytes));
}

}  // namespace

void Storage::free_data() {
  if (deleter)
    deleter(context);
  else if (device.is_cpu() && data && !context)
    free_cpu_bytes(data, nbytes);
  else if (data && !context && !device.is_cpu())
    backend_of(device.type).release(data);
  data = nullptr;
  deleter = nullptr;
}

void Storage::destroy(Storage* storage) noexcept {
  if (storage->binding.owned) count_foreign(-1);
  storage->binding.release_object();
  storage->free_data();
  storage->kind = Kind::freed;
  delete storage;
}

Ref<Storage> make_storage(int64_t nbytes, Device device) {
  auto storage = Ref<Storage>::adopt(new Storage());
  storage->device = device;
  if (device.is_cpu()) {
    storage->data = allocate_cpu_bytes(nbytes);
  } else if (!device.is_meta()) {
    storage->device = complete_device(device);
    storage->data = backend_of(device.type).allocate(nbytes, storage->device);
  }
  storage->nbytes = nbytes;
  return storage;
}

Ref<Storage> make_storage(void* data, int64_t nbytes, Device device, Deleter deleter, void* context) {
  auto storage = Ref<Storage>::adopt(new Storage());
  storage->data = data;
  storage->nbytes = nbytes;
  storage->device = device;
  storage->resizable = false;
  storage->deleter = deleter ? deleter : [](void*) {};
  storage->context = context;
  return storage;
}

namespace {

// Moves as many bytes as fit to new memory of this size.
void move_to_new_memory(Storage& storage, int64_t nbytes) {
  void* moved = nullptr;
  const int64_t common = nbytes < storage.nbytes ? nbytes : storage.nbytes;
  if (storage.device.is_cpu()) {
    moved = allocate_cpu_bytes(nbytes);
    if (common && storage.data) std::memcpy(moved, storage.data, size_t(common));
  } else if (!storage.device.is_meta()) {
    DeviceBackend& backend = backend_of(storage.device.type);
    moved = backend.allocate(nbytes, storage.device);
    if (common && storage.data) backend.copy_bytes(moved, storage.data, common, storage.device);
  }
  storage.free_data();
  storage.context = nullptr;
  storage.data = moved;
  storage.nbytes = nbytes;
}

}  // namespace

void resize_storage(Storage& storage, int64_t nbytes) {
  check(storage.resizable, "Trying to resize storage that is not resizable");
  if (nbytes == storage.nbytes) return;
  const int64_t before = storage.nbytes;
  move_to_new_memory(storage, nbytes);
  if (storage.former_nbytes < before) storage.former_nbytes = before;
}

// ---- lazy clones ------------------------------------------------------------------------------------------------------

std::atomic<int64_t> lazy_storages{0};

namespace {

// The context of all storages that share bytes: it owns the bytes and counts these storages.
struct SharedBytes {
  std::atomic<int64_t> storages;
  bool is_read_only = false;
  Storage owner;
};

void release_shared(void* context) {
  auto* shared = static_cast<SharedBytes*>(context);
  lazy_storages.fetch_sub(1, std::memory_order_relaxed);
  if (shared->storages.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  shared->owner.free_data();
  delete shared;
}

void share_bytes(Storage& storage, SharedBytes* shared) {
  shared->storages.fetch_add(1, std::memory_order_relaxed);
  lazy_storages.fetch_add(1, std::memory_order_relaxed);
  storage.data = shared->owner.data;
  storage.nbytes = shared->owner.nbytes;
  storage.device = shared->owner.device;
  storage.deleter = release_shared;
  storage.context = shared;
}

}  // namespace

Ref<Storage> make_read_only_storage(void* data, int64_t nbytes, Device device) {
  auto storage = Ref<Storage>::adopt(new Storage());
  auto* shared = new SharedBytes{};
  shared->is_read_only = true;
  shared->owner.data = data;
  shared->owner.nbytes = nbytes;
  shared->owner.device = device;
  shared->owner.deleter = [](void*) {};
  share_bytes(*storage, shared);
  storage->resizable = false;
  return storage;
}

void set_owner(Storage& read_only, Deleter deleter, void* context) {
  Storage& owner = static_cast<SharedBytes*>(read_only.context)->owner;
  owner.deleter = deleter;
  owner.context = context;
}

bool is_lazy_clone(const Storage& storage) { return storage.deleter == release_shared; }

Ref<Storage> clone_lazily(Storage& storage) {
  if (!is_lazy_clone(storage)) {
    if (storage.deleter || storage.context) return {};
    auto* shared = new SharedBytes{};
    shared->owner.data = storage.data;
    shared->owner.nbytes = storage.nbytes;
    shared->owner.device = storage.device;
    share_bytes(storage, shared);
  }
  auto clone = Ref<Storage>::adopt(new Storage());
  share_bytes(*clone, static_cast<SharedBytes*>(storage.context));
  return clone;
}

void copy_shared_bytes(Storage& storage) {
  if (!is_lazy_clone(storage)) return;
  auto* shared = static_cast<SharedBytes*>(storage.context);
  if (shared->is_read_only || shared->storages.load(std::memory_order_acquire) > 1) return move_to_new_memory(storage, storage.nbytes);
  storage.deleter = nullptr;
  storage.context = nullptr;
  shared->owner.data = nullptr;
  release_shared(shared);
}

}  // namespace mt
