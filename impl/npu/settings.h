// What MINDTORCH_NPU_ALLOC_CONF can say, in the spelling of PYTORCH_CUDA_ALLOC_CONF.
#pragma once

#include <cstdint>
#include <string>

namespace mt::npu {

struct AllocatorSettings {
  int64_t max_split_size = INT64_MAX;       // larger blocks are not split
  double garbage_collection_threshold = 0;  // of the allowed memory; 0: off
  int64_t roundup_divisions = 0;            // of each power of two; 0: multiples of 512
};
// Raises torch's texts for what is not understood.
AllocatorSettings parse_settings(const std::string& text);

}  // namespace mt::npu
