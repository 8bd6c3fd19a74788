// The accelerator of this process, if there is one: its current device and streams.
#pragma once

#include <memory>

#include <torch/csrc/stable/macros.h>

HIDDEN_NAMESPACE_BEGIN(torch, stable, accelerator)

using DeviceIndex = int32_t;
using StreamId = int64_t;

// Makes another device current during the lifetime of this object.
class DeviceGuard {
 public:
  explicit DeviceGuard(DeviceIndex device) { STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_create_device_guard(device, &guard_)); }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard() { aoti_torch_delete_device_guard(guard_); }
  void set_index(DeviceIndex device) { STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_device_guard_set_index(guard_, device)); }

 private:
  DeviceGuardHandle guard_ = nullptr;
};

class Stream {
 public:
  explicit Stream(StreamHandle handle) : stream_(handle, [](StreamHandle stream) { aoti_torch_delete_stream(stream); }) {}
  StreamId id() const {
    StreamId id = 0;
    STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_stream_id(stream_.get(), &id));
    return id;
  }
#if TORCH_FEATURE_VERSION >= TORCH_VERSION_2_13_0
  void* nativeHandle() const {
    void* handle = nullptr;
    STABLE_TORCH_ERROR_CODE_CHECK(torch_stream_native_handle(stream_.get(), &handle));
    return handle;
  }
#endif

 private:
  std::shared_ptr<StreamOpaque> stream_;
};

inline Stream getCurrentStream(DeviceIndex device) {
  StreamHandle stream = nullptr;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_stream(device, &stream));
  return Stream(stream);
}
inline DeviceIndex getCurrentDeviceIndex() {
  DeviceIndex device = 0;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_device_index(&device));
  return device;
}

HIDDEN_NAMESPACE_END(torch, stable, accelerator)
