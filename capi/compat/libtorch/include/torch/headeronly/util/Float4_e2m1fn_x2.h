// Declares c10::Float4_e2m1fn_x2, which SmallFloat.h defines.
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
