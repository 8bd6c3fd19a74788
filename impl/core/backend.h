// The interface to devices other than the CPU: what storages, copies and fills need from one.
#pragma once

#include "core/tensor.h"

namespace mt {

struct DeviceBackend {
  // The index of the calling thread's current device: what "npu" without an index means.
  virtual int8_t current_device() = 0;
  // Allocates uninitialised memory for the current stream; raises when the device has none left. Returns nullptr for 0 bytes.
  virtual void* allocate(int64_t nbytes, Device device) = 0;
  virtual void release(void* data) noexcept = 0;
  // Copies within one device, ordered by its current stream.
  virtual void copy_bytes(void* target, const void* source, int64_t nbytes, Device device) = 0;
  // Copies with broadcasting and dtype conversion; either tensor may be on the CPU.
  virtual void copy(const Tensor& target, const Tensor& source, bool non_blocking) = 0;
  virtual void fill(const Tensor& tensor, const Scalar& value) = 0;
  // Allocates pinned host memory, which the device reads and writes directly; raises where no device is present.
  virtual bool is_pinned(const void*) { return false; }
  virtual Ref<Storage> pinned_storage(int64_t) { fail("Cannot access accelerator device when none is available."); }

 protected:
  ~DeviceBackend() = default;  // backends are never destroyed
};

extern DeviceBackend* npu_backend;  // at first the one over the vendor's library (npu/copy.cpp), later a plugin's

void set_device_backend(DeviceType type, DeviceBackend* backend);
DeviceBackend& backend_of(DeviceType type);  // raises if `type` has no backend
// Fills in the index of a device whose type has a backend.
Device complete_device(Device device);
// Returns `tensor`, or a CPU copy of it, for operators that return a plain value such as a bool.
Tensor on_host(const Tensor& tensor);
// Copies when at least one of the tensors is on another device than the CPU.
void copy_between_devices(const Tensor& target, const Tensor& source, bool non_blocking);

}  // namespace mt
