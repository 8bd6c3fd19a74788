// The table of device backends.
#include "core/backend.h"
#include "core/messages.h"

namespace mt {

void set_device_backend(DeviceType type, DeviceBackend* backend) {
  check(type == DeviceType::npu, ErrorKind::not_implemented, messages::no_backend_for_device_type, name_of(type));
  npu_backend = backend;
}

DeviceBackend& backend_of(DeviceType type) {
  check(type == DeviceType::npu, ErrorKind::not_implemented, messages::no_backend_for_device_type, name_of(type));
  return *npu_backend;
}

Device complete_device(Device device) {
  if (device.is_cpu() || device.is_meta())
    device.index = -1;
  else if (device.type == DeviceType::npu && device.index < 0)
    device.index = backend_of(device.type).current_device();
  return device;
}

Tensor on_host(const Tensor& tensor) {
  if (tensor.device().is_cpu()) return tensor;
  Tensor here = empty(tensor.sizes(), tensor.dtype());
  copy_between_devices(here, tensor, /*non_blocking=*/false);
  return here;
}

void copy_between_devices(const Tensor& target, const Tensor& source, bool non_blocking) {
  backend_of(target.device().is_cpu() ? source.device().type : target.device().type).copy(target, source, non_blocking);
}

}  // namespace mt
