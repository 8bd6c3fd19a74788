// A part of tensor.h in torch; here it is one.
#pragma once

#include <torch/csrc/stable/tensor.h>
