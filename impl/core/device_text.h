// Parses devices that are written as text.
#pragma once

#include "core/dtype.h"

namespace mt {

// Parses a device such as "cuda:1"; raises torch's errors for invalid strings.
Device parse_device(const char* text);

}  // namespace mt
