// torch.ops errors for arguments that match no schema.
#pragma once
#include <string>

#include "signature.h"

namespace mt::py {

// "Optional[List[int]]" for the schema's "int[1]?": TorchScript's type syntax.
std::string python_annotation_of(std::string_view schema_type);
// "Unable to cast 3 to Tensor": why an object does not match a parameter.
std::string cast_details(const Parameter& parameter, PyObject* object);
// Raises RuntimeError with torch's text if a schema rejects the arguments; returns if each argument is accepted by some schema.
void raise_schema_mismatch(const Overloads& overloads, const Arguments& given);

}  // namespace mt::py
