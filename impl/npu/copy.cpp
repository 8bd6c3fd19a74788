// Copies between host and devices, and the device backend that storages and copies call.
#include <mutex>
#include <vector>

#include "core/backend.h"
#include "core/scalar.h"
#include "npu/allocator.h"
#include "npu/landing.h"
#include "npu/launch.h"
#include "npu/pinned.h"
#include "npu/runtime.h"
#include "rules/form/rule.h"

namespace mt::npu {
namespace {

void copy_async(void* target, const void* source, int64_t nbytes, int32_t kind, const Stream& stream) {
  if (nbytes == 0) return;
  use_device(stream.device);
  MT_ACL(aclrtMemcpyAsync, target, size_t(nbytes), source, size_t(nbytes), kind, stream.handle);
}

// Waits for a copy that reads or writes `host`. If waiting fails, the device may still use the memory: waits once more, and if that fails
// too, leaks the memory.
void wait_for_copy(const Stream& stream, const Tensor& host) {
  try {
    synchronize_stream(stream);
  } catch (...) {
    try {
      synchronize_stream(stream);
    } catch (...) {
      static auto& lock = *new std::mutex;
      static auto& kept = *new std::vector<Tensor>;
      std::lock_guard guard(lock);
      kept.push_back(host);
    }
    throw;
  }
}

void host_to_device(const Tensor& target, const Tensor& source, bool non_blocking) {
  DeviceScope scope(target.device().index);
  const Stream& stream = current_stream(target.device().index);
  // A source that is broadcast is transferred before it is expanded, so that each element crosses once.
  if (source.numel() < target.numel()) {
    const Tensor small = empty(source.sizes(), target.dtype(), target.device());
    host_to_device(small, source, /*non_blocking=*/false);
    return copy_into(target, small);
  }
  copy_through_staging(target, source, [&](const Tensor& landing, const Tensor& ready) {
    copy_async(landing.data(), ready.data(), bytes_of(ready), acl::memcpy_host_to_device, stream);
    // Waits if the host memory is pageable, since it may be freed when the call returns; pinned memory is kept until the stream's event.
    if (non_blocking && is_pinned(ready.data()))
      record_pinned_use(ready.data(), stream);
    else
      wait_for_copy(stream, ready);
  });
}

void device_to_host(const Tensor& target, const Tensor& source, bool non_blocking) {
  DeviceScope scope(source.device().index);
  const Stream& stream = current_stream(source.device().index);
  if (source.numel() < target.numel()) {
    const Tensor small = empty(source.sizes(), source.dtype());
    device_to_host(small, source, /*non_blocking=*/false);
    return copy_into(target, small);
  }
  copy_through_staging(target, source, [&](const Tensor& landing, const Tensor& ready) {
    copy_async(landing.data(), ready.data(), bytes_of(ready), acl::memcpy_device_to_host, stream);
    if (non_blocking && landing.get() == target.get() && is_pinned(landing.data()))
      record_pinned_use(landing.data(), stream);
    else
      wait_for_copy(stream, landing);
  });
}

// Copies on one device by bytes or by a kernel; between devices on the source's stream, which waits for the target's stream and makes it
// wait in turn.
void device_to_device(const Tensor& target, const Tensor& source) {
  DeviceScope scope(source.device().index);
  const Stream& stream = current_stream(source.device().index);
  if (target.device() == source.device()) {
    if (same_layout(target, source))
      copy_async(target.data(), source.data(), bytes_of(source), acl::memcpy_device_to_device, stream);
    else
      launch_copy(target, source);
    return;
  }
  if (source.numel() < target.numel()) {
    const Tensor small = empty(source.sizes(), target.dtype(), target.device());
    device_to_device(small, source);
    return copy_into(target, small);
  }
  const Stream& there = current_stream(target.device().index);
  copy_through_staging(target, source, [&](const Tensor& landing, const Tensor& ready) {
    Event memory_ready(false), copied(false);
    memory_ready.record(there);
    memory_ready.wait(stream);
    copy_async(landing.data(), ready.data(), bytes_of(ready), acl::memcpy_device_to_device, stream);
    copied.record(stream);
    copied.wait(there);
  });
}

struct Backend : DeviceBackend {
  int8_t current_device() override {
    acl();  // raises if there is no library
    return int8_t(npu::current_device());
  }
  void* allocate(int64_t nbytes, Device device) override {
    DeviceScope scope(device.index);
    return npu::allocate(device.index, nbytes, current_stream(device.index).id);
  }
  void release(void* data) noexcept override {
    if (in_bad_fork()) return;
    try {
      npu::release(data);
    } catch (...) {  // the device failed while memory was freed: there is nobody to report it to
    }
  }
  void copy_bytes(void* target, const void* source, int64_t nbytes, Device device) override {
    DeviceScope scope(device.index);
    copy_async(target, source, nbytes, acl::memcpy_device_to_device, current_stream(device.index));
  }
  void copy(const Tensor& target, const Tensor& source, bool non_blocking) override {
    if (target.numel() == 0) return;
    if (source.device().is_cpu())
      host_to_device(target, source, non_blocking);
    else if (target.device().is_cpu())
      device_to_host(target, source, non_blocking);
    else
      device_to_device(target, source);
  }
  void fill(const Tensor& tensor, const Scalar& value) override { launch_fill(tensor, value); }
  bool is_pinned(const void* data) override { return is_initialized() && npu::is_pinned(data); }
  Ref<Storage> pinned_storage(int64_t nbytes) override {
    if (!device_count()) return DeviceBackend::pinned_storage(nbytes);
    use_device(checked_device(-1));
    void* data = allocate_pinned(nbytes);
    try {
      return make_storage(data, nbytes, Device{}, release_pinned, data);
    } catch (...) {
      release_pinned(data);
      throw;
    }
  }
};

constinit Backend backend;

}  // namespace
}  // namespace mt::npu

constinit mt::DeviceBackend* mt::npu_backend = &mt::npu::backend;
