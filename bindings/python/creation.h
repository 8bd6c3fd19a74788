// Shared by hand-written functions that make tensors.
#pragma once

#include "methods.h"
#include "operators.h"
#include "types.h"

namespace mt::py {

// Parses the arguments, offers the call to __torch_function__, then runs body(parsed).
template <class F>
PyObject* function(const Parser& parser, PyObject* const* values, Py_ssize_t n, PyObject* names, F&& body) {
  return guarded([&]() -> PyObject* {
    Arguments arguments{nullptr, values, n, names};
    auto parsed = parser.parse(arguments);
    if (!parsed.match.overloaded.empty() || function_state().mode_active()) {
      Ref functions = own(PyObject_GetAttrString(state.module, "_VariableFunctions"));
      const std::string& name = parser.overloads().name;
      Ref itself = own(PyObject_GetAttrString(functions.get(), name.c_str()));
      return forward_to_torch_function(itself.get(), ("torch." + name).c_str(), arguments, parsed.match.overloaded);
    }
    return body(parsed);
  });
}

struct Place {
  bool given = false;
  mt_device device{};
  const mt_device* get() const { return given ? &device : nullptr; }
};
inline Place place_of(const Parser::Parsed& parsed, int i) {
  Place place;
  if (parsed.has(i) && parsed.object(i) != Py_None) {
    place.given = true;
    place.device = to_device(parsed.object(i));
  }
  return place;
}

PyObject* finish(Handle tensor, bool requires_grad);
// The elements of a storage, in its own dtype or in `dtype`; if neither is known, as torch interprets them.
Handle tensor_over_storage(PyObject* object, int32_t dtype);
// Adds functions to the root namespace.
void add_root_functions(PyObject* module, PyMethodDef* functions);

void init_sparse_creation(PyObject* module);

}  // namespace mt::py
