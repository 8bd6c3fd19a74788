// c10::Float4_e2m1fn_x2, one of the small numbers.
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
