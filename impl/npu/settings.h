// The settings in MINDTORCH_NPU_ALLOC_CONF, with PYTORCH_CUDA_ALLOC_CONF's syntax.
#pragma once

#include <cstdint>
#include <string>

namespace mt::npu {

struct AllocatorSettings {
  int64_t max_split_size = INT64_MAX;       // larger blocks are not split
  double garbage_collection_threshold = 0;  // fraction of the allowed memory; 0: off
  int64_t roundup_divisions = 0;            // steps per power of two; 0: multiples of 512
};
// Raises torch's errors for invalid settings.
AllocatorSettings parse_settings(const std::string& text);

}  // namespace mt::npu
