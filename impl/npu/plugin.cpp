// Storages and copies on a plugin's device: adapts the table of C functions to the DeviceBackend interface.
#include "npu/plugin.h"

#include <dlfcn.h>

#include <atomic>
#include <mutex>

#include "core/backend.h"
#include "core/exception.h"
#include "core/messages.h"
#include "core/scalar.h"
#include "npu/acl.h"
#include "npu/landing.h"

namespace mt::npu {
namespace {

mt_tensor* handle_of(const Tensor& t) { return reinterpret_cast<mt_tensor*>(t.get()); }

struct PluginBackend : DeviceBackend {
  mt_device_backend table;
  explicit PluginBackend(const mt_device_backend& t) : table(t) {}

  int8_t current_device() override {
    int32_t device = 0;
    if (table.get_device) rethrow_status(table.get_device(table.user, &device));
    return int8_t(device);
  }
  void* allocate(int64_t nbytes, Device device) override {
    check_plugin_device(device.index);
    void* memory = nullptr;
    if (nbytes) rethrow_status(table.allocate(table.user, device.index, nbytes, &memory));
    return memory;
  }
  void release(void* data) noexcept override {
    if (data) table.release(table.user, data);
  }
  void copy_between_host_and_device(Device device, int32_t direction, void* to, const void* from, int64_t nbytes) {
    if (nbytes) rethrow_status(table.copy(table.user, device.index, direction, to, from, nbytes));
  }
  void copy_bytes(void* target, const void* source, int64_t nbytes, Device device) override {
    copy_between_host_and_device(device, MT_COPY_DEVICE_TO_DEVICE, target, source, nbytes);
  }
  void copy(const Tensor& target, const Tensor& source, bool) override {
    if (target.numel() == 0) return;
    const Device to = target.device(), from = source.device();
    if (to == from) return rethrow_status(table.copy_elements(table.user, handle_of(target), handle_of(source)));
    if (source.numel() < target.numel()) {  // transfers broadcast elements only once
      const Tensor small = empty(source.sizes(), to.is_cpu() ? source.dtype() : target.dtype(), to);
      copy(small, source, false);
      return copy_into(target, small);
    }
    const int32_t direction = from.is_cpu() ? MT_COPY_HOST_TO_DEVICE : to.is_cpu() ? MT_COPY_DEVICE_TO_HOST : MT_COPY_DEVICE_TO_DEVICE;
    copy_through_staging(target, source, [&](const Tensor& landing, const Tensor& ready) {
      copy_between_host_and_device(from.is_cpu() ? to : from, direction, landing.data(), ready.data(), bytes_of(ready));
    });
  }
  void fill(const Tensor& tensor, const Scalar& value) override {
    const Value number = value.to_value();
    if (tensor.numel()) rethrow_status(table.fill(table.user, handle_of(tensor), &number));
  }
};

std::mutex mutex;
std::atomic<PluginBackend*> served = nullptr;  // never freed

}  // namespace

const mt_device_backend* plugin() noexcept {
  const PluginBackend* backend = served.load(std::memory_order_acquire);
  return backend ? &backend->table : nullptr;
}

void set_plugin(const mt_device_backend& table) {
  check(table.name && table.count && table.allocate && table.release && table.copy && table.copy_elements && table.fill, ErrorKind::type,
        "a device backend needs a name, count, allocate, release, copy, copy_elements and fill");
  check(!table.get_device == !table.set_device, ErrorKind::type, "a device backend has both get_device and set_device, or none");
  std::lock_guard lock(mutex);
  check(!plugin(), messages::device_is_served_already, plugin() ? plugin()->name : "");
  check(!loaded_acl(), messages::npu_library_is_loaded_already, library_path());
  auto* backend = new PluginBackend(table);
  set_device_backend(DeviceType::npu, backend);
  served.store(backend, std::memory_order_release);
}

void load_device(const char* path, mt_get_api_fn get_api) {
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  check(handle, "cannot load device library {}: {}", path, dlerror());
  const auto entry = reinterpret_cast<mt_device_plugin_fn>(dlsym(handle, MT_DEVICE_PLUGIN_ENTRY));
  if (!entry) {
    check(dlsym(handle, "aclInit"), "{} is no device library: it has neither {} nor aclInit", path, MT_DEVICE_PLUGIN_ENTRY);
    check(!plugin(), messages::device_is_served_already, plugin() ? plugin()->name : "");
    return load(path);
  }
  check(!plugin(), messages::device_is_served_already, plugin() ? plugin()->name : "");
  mt_device_backend table{};
  table.struct_size = sizeof table;
  rethrow_status(entry(get_api, &table));
  set_plugin(table);
}

int check_plugin_device(int device) {
  const mt_device_backend& table = *plugin();
  if (device == -1) device = backend_of(DeviceType::npu).current_device();
  int32_t count = 0;
  rethrow_status(table.count(table.user, &count));
  check(device >= 0 && device < count, messages::npu_error_invalid_device_ordinal);
  return device;
}

}  // namespace mt::npu
