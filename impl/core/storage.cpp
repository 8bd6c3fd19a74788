// Storages: memory from the caching allocator, from callers, or none (meta).
#include <cstring>
#include <new>

#include "core/foreign.h"
#include "core/tensor.h"
#include "cpu/allocator.h"

namespace mt {

void Storage::free_data() {
  if (deleter)
    deleter(context);
  else if (device.is_cpu() && data && !context)
    cpu::deallocate(data, size_t(nbytes));
  data = nullptr;
  deleter = nullptr;
}

void Storage::destroy(Storage* storage) {
  if (storage->binding.owned) count_foreign(-1);
  storage->binding.drop();
  storage->free_data();
  storage->kind = Kind::freed;
  delete storage;
}

Ref<Storage> make_storage(int64_t nbytes, Device device) {
  auto storage = Ref<Storage>::adopt(new Storage());
  storage->device = device;
  if (device.is_cpu())
    storage->data = cpu::allocate(size_t(nbytes));
  else if (!device.is_meta())
    fail(ErrorKind::not_implemented, "no allocator for device type {}", name_of(device.type));
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
    void* bigger = cpu::allocate(size_t(nbytes));
    int64_t common = nbytes < storage.nbytes ? nbytes : storage.nbytes;
    if (common && storage.data) std::memcpy(bigger, storage.data, size_t(common));
    storage.free_data();
    storage.data = bigger;
  }
  storage.nbytes = nbytes;
}

}  // namespace mt
