// Declares c10::Float8_e5m2fnuz, which SmallFloat.h defines.
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
