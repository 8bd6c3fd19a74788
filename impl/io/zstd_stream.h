// zstd frames: compresses and decompresses in memory, with a limit.
#pragma once

#include "io/source.h"

namespace mt::io {

// Decompresses all frames of `packed`, which must yield exactly `size` bytes. Memory grows with the output, not with the stated size.
std::vector<uint8_t> decompress_zstd(Bytes packed, uint64_t size, const std::string& name);

}  // namespace mt::io
