// The docstrings of operators and of hand-written functions, as help() shows them.
#pragma once
#include <string>

#include "common.h"

namespace mt::py {

// The docstring of "torch.lerp", "torch.linalg.linalg_svd" or "Tensor.lerp_"; NULL if there is none. Never freed.
const char* find_documentation(const std::string& key);
// Sets the docstring of each function in a table, which ends with a NULL name, to that of "owner.name" if there is one.
void add_documentation(PyMethodDef* functions, const std::string& owner);

}  // namespace mt::py
