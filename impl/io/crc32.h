// CRC-32 as zip archives use it.
#pragma once

#include "io/source.h"

namespace mt::io {

// Continues from the checksum of the preceding bytes.
uint32_t crc32(uint32_t before, Bytes bytes);

}  // namespace mt::io
