// Declares c10::Float8_e4m3fnuz, which SmallFloat.h defines.
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
