// c10::BFloat16, one of the small numbers.
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
