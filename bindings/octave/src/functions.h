// Functions of Octave as hooks and operators.
#pragma once

#include "callbacks.h"
#include "mindtorch.h"

namespace mindtorch_octave {

// Wraps an Octave function so that the library can call it; TypeError for other values.
std::unique_ptr<mindtorch_swig::Callback> function_of(const octave_value& function);

}  // namespace mindtorch_octave
