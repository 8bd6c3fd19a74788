// A part of generator.h in torch; here it is one.
#pragma once

#include <torch/csrc/stable/generator.h>
