// Includes generator.h: torch splits this header into several, here it is one.
#pragma once

#include <torch/csrc/stable/generator.h>
