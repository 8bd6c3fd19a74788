// Declares c10::Float8_e5m2, which SmallFloat.h defines.
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
