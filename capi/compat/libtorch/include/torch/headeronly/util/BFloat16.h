// Declares c10::BFloat16, which SmallFloat.h defines.
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
