// In torch, device.h has several parts; here it is one file.
#pragma once

#include <torch/csrc/stable/device.h>
