// The process-wide generator of each device.
#include "npu/generator.h"

#include "npu/runtime.h"

namespace mt::npu {

Generator& default_generator_of(int device) {
  static Generator* const* const all = [] {  // never destroyed: threads may draw numbers during exit
    auto** list = new Generator*[max_devices];
    for (int i = 0; i < max_devices; ++i) list[i] = new Generator(Device{DeviceType::npu, int8_t(i)});
    return list;
  }();
  return *all[checked_device(device)];
}

}  // namespace mt::npu
