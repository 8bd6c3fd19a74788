// Storages: memory from the CPU's caching allocator, from a device, from the caller, or none (meta).
#include <cstring>
#include <new>

#include "core/backend.h"
#include "core/foreign.h"
#include "core/profile.h"
#include "core/tensor.h"
#include "cpu/allocator.h"

namespace mt {

namespace {

void* take(int64_t nbytes) {
  void* data = cpu::allocate(size_t(nbytes));
  if (is_profiling()) note_memory(data, nbytes, /*is_freed=*/false);
  return data;
}
void give_back(void* data, int64_t nbytes) {
  if (is_profiling()) note_memory(data, nbytes, /*is_freed=*/true);
  cpu::deallocate(data, size_t(nbytes));
}

}  // namespace

void Storage::free_data() {
  if (deleter)
    deleter(context);
  else if (device.is_cpu() && data && !context)
    give_back(data, nbytes);
  else if (data && !context && !device.is_cpu())
    backend_of(device.type).release(data);
  data = nullptr;
  deleter = nullptr;
}

void Storage::destroy(Storage* storage) noexcept {
  if (storage->binding.owned) count_foreign(-1);
  storage->binding.drop();
  storage->free_data();
  storage->kind = Kind::freed;
  delete storage;
}

Ref<Storage> make_storage(int64_t nbytes, Device device) {
  auto storage = Ref<Storage>::adopt(new Storage());
  storage->device = device;
  if (device.is_cpu()) {
    storage->data = take(nbytes);
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

void resize_storage(Storage& storage, int64_t nbytes) {
  check(storage.resizable, "Trying to resize storage that is not resizable");
  if (nbytes == storage.nbytes) return;
  if (storage.device.is_cpu()) {
    void* bigger = take(nbytes);
    int64_t common = nbytes < storage.nbytes ? nbytes : storage.nbytes;
    if (common && storage.data) std::memcpy(bigger, storage.data, size_t(common));
    storage.free_data();
    storage.data = bigger;
  } else if (!storage.device.is_meta()) {
    DeviceBackend& backend = backend_of(storage.device.type);
    void* bigger = backend.allocate(nbytes, storage.device);
    const int64_t common = nbytes < storage.nbytes ? nbytes : storage.nbytes;
    if (common && storage.data) backend.copy_bytes(bigger, storage.data, common, storage.device);
    storage.free_data();
    storage.data = bigger;
  }
  storage.nbytes = nbytes;
}

}  // namespace mt
