// The door to devices other than the CPU: what storages, copies and fills need from one.
#pragma once

#include "core/tensor.h"

namespace mt {

struct DeviceBackend {
  // The calling thread's device, for "npu" without an index.
  virtual int8_t current_device() = 0;
  // Uninitialised memory for use on the current stream; raises when there is none. nullptr for 0 bytes.
  virtual void* allocate(int64_t nbytes, Device device) = 0;
  virtual void release(void* data) noexcept = 0;
  // Within one device, in the order of its current stream.
  virtual void copy_bytes(void* target, const void* source, int64_t nbytes, Device device) = 0;
  // Elements broadcast and converted; either tensor may be on the CPU.
  virtual void copy(const Tensor& target, const Tensor& source, bool non_blocking) = 0;
  virtual void fill(const Tensor& tensor, const Scalar& value) = 0;
  // Host memory that the device copies from and to by itself: whether some is, and new one (raises where there is no device).
  virtual bool is_pinned(const void*) { return false; }
  virtual Ref<Storage> pinned_storage(int64_t) { fail("Cannot access accelerator device when none is available."); }

 protected:
  ~DeviceBackend() = default;  // backends are never destroyed
};

extern DeviceBackend* npu_backend;  // at first the one over the vendor's library (npu/copy.cpp), later a plugin's

void set_device_backend(DeviceType type, DeviceBackend* backend);
DeviceBackend& backend_of(DeviceType type);  // raises where the type has none
// The device with its index filled in, where its type has a backend.
Device complete_device(Device device);
// The tensor itself, or a copy on the CPU: for operators whose result is a value of the program's, such as a bool.
Tensor on_host(const Tensor& tensor);
// Copies where at least one of the tensors is not on the CPU.
void copy_between_devices(const Tensor& target, const Tensor& source, bool non_blocking);

}  // namespace mt
