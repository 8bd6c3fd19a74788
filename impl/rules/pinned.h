// What the operators of pinned memory say about the device that they are given.
#pragma once

#include "op.h"

namespace mt {

inline void warn_of_device(const char* method, const std::optional<Device>& device) {
  const FormatArg name[] = {method};
  if (device)
    emit_warning("DeprecationWarning", "The argument 'device' of Tensor.{}() is deprecated. Please do not pass this argument.", name, 1);
}

}  // namespace mt
