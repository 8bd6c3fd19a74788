// c10::Half (SmallFloat.h).
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
