// zstd frames: compresses and decompresses in memory, with a limit.
#pragma once

#include "io/source.h"

namespace mt::io {

// Decompresses all frames of `packed`, which must yield exactly `size` bytes. Memory grows with the output, not with the stated size.
std::vector<uint8_t> decompress_zstd(Bytes packed, uint64_t size, const std::string& name);
// As decompress_zstd, into the caller's memory.
void decompress_zstd_into(Bytes packed, std::span<uint8_t> out, const std::string& name);

constexpr int usual_zstd_level = 3, highest_zstd_level = 22;
struct ZstdOptions {
  int level;  // 1 to highest_zstd_level
  bool with_checksum = false;
};
// Compresses into one frame that states the size of its contents.
std::vector<uint8_t> compress_zstd(Bytes bytes, const ZstdOptions& options);

}  // namespace mt::io
