// Declares c10::Half, which SmallFloat.h defines.
#pragma once

#include <torch/headeronly/util/SmallFloat.h>
