// CRC-32 as zip has it.
#pragma once

#include "io/source.h"

namespace mt::io {

// Continues from the checksum of what came before; large runs by several threads.
uint32_t crc32(uint32_t before, Bytes bytes);

}  // namespace mt::io
