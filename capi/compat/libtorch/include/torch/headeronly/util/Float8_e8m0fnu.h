// Declares c10::Float8_e8m0fnu, which SmallFloat.h defines.
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
