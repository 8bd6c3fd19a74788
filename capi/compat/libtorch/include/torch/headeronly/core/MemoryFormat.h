// The order of a strided tensor's dimensions in memory.
#pragma once

#include <cstdint>

namespace torch::headeronly {
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d, NumOptions };
}

namespace c10 {
using torch::headeronly::MemoryFormat;
}
