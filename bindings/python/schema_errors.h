// What torch.ops says of arguments that no schema takes.
#pragma once
#include <string>

#include "signature.h"

namespace mt::py {

// "Optional[List[int]]" for the schema's "int[1]?": the type as TorchScript writes it.
std::string annotation_of(std::string_view schema_type);
// "Unable to cast 3 to Tensor": why an object is not what a parameter takes.
std::string cast_details(const Parameter& parameter, PyObject* object);
// RuntimeError with torch's text where a schema refuses the arguments; returns where each of them has one that takes them.
void raise_schema_mismatch(const Overloads& overloads, const Arguments& given);

}  // namespace mt::py
