// Devices written as text.
#pragma once

#include "core/dtype.h"

namespace mt {

// "cuda:1" and the like; raises torch's errors for other texts.
Device parse_device(const char* text);

}  // namespace mt
