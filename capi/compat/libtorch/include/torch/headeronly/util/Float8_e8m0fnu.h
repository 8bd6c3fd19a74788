// c10::Float8_e8m0fnu, one of the small numbers.
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
