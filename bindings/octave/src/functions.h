// Functions of Octave as hooks and operators.
#pragma once

#include "callbacks.h"
#include "mindtorch.h"

namespace mindtorch_octave {

// TypeError if it is no function.
std::unique_ptr<mindtorch_swig::Callback> function_of(const octave_value& function);

}  // namespace mindtorch_octave
