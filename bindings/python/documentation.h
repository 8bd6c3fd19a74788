// The docstrings of operators and of what is written by hand, as help() shows them.
#pragma once
#include <string>

#include "common.h"

namespace mt::py {

// The text of "torch.lerp", "torch.linalg.linalg_svd" or "Tensor.lerp_", NULL where there is none. Lives for ever.
const char* find_documentation(const std::string& key);
// Gives each function of a table, which ends with a NULL name, the text of "owner.name", where there is one.
void document(PyMethodDef* functions, const std::string& owner);

}  // namespace mt::py
