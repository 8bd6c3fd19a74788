// A device that a program or a plugin provides instead of an NPU.
#pragma once

#include "mindtorch/device.h"

namespace mt::npu {

// The table in use, or nullptr if ACL serves NPUs.
const mt_device_backend* plugin() noexcept;
void set_plugin(const mt_device_backend& table);
// Loads a plugin, or a library with ACL's interface.
void load_device(const char* path, mt_get_api_fn get_api);
// Returns the device's index; for -1 the calling thread's current device. Raises for a device that does not exist. Only with a plugin.
int check_plugin_device(int device);

}  // namespace mt::npu
