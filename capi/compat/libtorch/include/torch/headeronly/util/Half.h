// c10::Half, one of the small numbers.
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
