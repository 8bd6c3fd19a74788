// c10::BFloat16 (SmallFloat.h).
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
