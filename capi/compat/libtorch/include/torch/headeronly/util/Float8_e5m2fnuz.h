// c10::Float8_e5m2fnuz (SmallFloat.h).
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
