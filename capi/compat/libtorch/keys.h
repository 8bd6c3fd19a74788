// torch's names of dispatch keys, and the library's keys to which they correspond.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mt::stable {

struct DispatchKey {
  std::vector<int32_t> keys;  // no key, if no tensor of this library can have it (CUDA, QuantizedCPU)
  int32_t rank;               // MT_RANK_*
};
// Raises for names that are not dispatch keys of torch. NULL and "" mean a kernel without a key: composite.
DispatchKey dispatch_key_named(const char* name);

}  // namespace mt::stable
