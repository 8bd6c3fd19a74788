// torch's names of dispatch keys, and which of the library's own keys they stand for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mt::stable {

struct DispatchKey {
  std::vector<int32_t> keys;  // none where no tensor of this library can reach it (CUDA, QuantizedCPU)
  int32_t rank;               // MT_RANK_*
};
// Raises for what is no key of torch's. NULL and "" stand for what a kernel without a key is: composite.
DispatchKey dispatch_key_named(const char* name);

}  // namespace mt::stable
