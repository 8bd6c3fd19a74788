// c10::Float4_e2m1fn_x2 (SmallFloat.h).
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
