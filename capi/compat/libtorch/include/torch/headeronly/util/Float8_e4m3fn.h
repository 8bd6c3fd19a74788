// c10::Float8_e4m3fn (SmallFloat.h).
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
