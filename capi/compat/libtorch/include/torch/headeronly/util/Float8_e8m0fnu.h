// c10::Float8_e8m0fnu (SmallFloat.h).
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
