// c10::Float8_e5m2, one of the small numbers.
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
