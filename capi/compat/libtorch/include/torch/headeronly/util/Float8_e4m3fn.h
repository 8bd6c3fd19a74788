// c10::Float8_e4m3fn, one of the small numbers.
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
