// zstd's frames: compressed and decompressed in memory, within a bound.
#pragma once

#include "io/source.h"

namespace mt::io {

// All frames of `packed`, which have to give exactly `size` bytes. Memory grows with what comes, not with what is promised.
std::vector<uint8_t> decompress_zstd(Bytes packed, uint64_t size, const std::string& name);

}  // namespace mt::io
