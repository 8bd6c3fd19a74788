// A device that a program or a plugin serves in the NPU's place.
#pragma once

#include "mindtorch/device.h"

namespace mt::npu {

// The table in use, or nullptr where ACL serves NPUs.
const mt_device_backend* plugin() noexcept;
void set_plugin(const mt_device_backend& table);
// A plugin, or a library with ACL's interface.
void load_device(const char* path, mt_get_api_fn get_api);
// The index, with -1 the calling thread's; raises for a device that is not there. Only with a plugin.
int plugin_device(int device);

}  // namespace mt::npu
