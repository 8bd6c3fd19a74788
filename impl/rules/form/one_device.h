// torch's checks that meta tensors and others are not mixed.
#pragma once

#include "core/exception.h"
#include "core/messages.h"
#include "core/tensor.h"

namespace mt {

inline bool is_cpu_number(const Tensor& t) { return t.dim() == 0 && t.device().is_cpu(); }

// A meta tensor can be combined with meta tensors and CPU numbers only; the first tensor decides the expected device.
inline void check_expected_device(const Tensor& t, Device expected) {
  if (t.device() != expected && (t.is_meta() || expected.type == DeviceType::meta) && !is_cpu_number(t))
    fail(messages::tensor_on_unexpected_device, t.device(), expected);
}
template <class... Others>
void check_one_device(const Tensor& first, const Others&... others) {
  if (!is_cpu_number(first)) ((others.defined() ? check_expected_device(others, first.device()) : void()), ...);
}
// Checks the devices of a call's result and of `out`, or of the tensor that it is written into.
inline void check_copy_device(Device from, Device to) {
  check(from.type == to.type || (from.type != DeviceType::meta && to.type != DeviceType::meta),
        "Attempting to copy from device {} to device {}, but cross-device copies are not allowed!", from, to);
}

}  // namespace mt
