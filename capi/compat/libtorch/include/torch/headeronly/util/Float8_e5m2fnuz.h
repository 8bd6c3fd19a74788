// c10::Float8_e5m2fnuz, one of the small numbers.
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
