// Includes device.h: torch splits this header into several, here it is one.
#pragma once

#include <torch/csrc/stable/device.h>
