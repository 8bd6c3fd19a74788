// A part of device.h in torch; here it is one.
#pragma once

#include <torch/csrc/stable/device.h>
