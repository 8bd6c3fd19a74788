// Declares c10::Float8_e4m3fn, which SmallFloat.h defines.
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
