// The device argument of operators on pinned memory: warnings and checks.
#pragma once

#include "definition/op.h"

namespace mt {

inline void warn_of_device(const char* method, const std::optional<Device>& device) {
  const FormatArg name[] = {method};
  if (device)
    emit_warning("DeprecationWarning", "The argument 'device' of Tensor.{}() is deprecated. Please do not pass this argument.", name, 1);
}

}  // namespace mt
