// The errors of torch.ops, which differ from those of functions: each schema reports its mismatch.
#include "schema_errors.h"

#include <optional>

#include "tensor.h"
#include "types.h"

namespace mt::py {
namespace {

std::string python_text_of(PyObject* o, bool quoted) {
  Ref text = own(quoted ? PyObject_Repr(o) : PyObject_Str(o));
  return PyUnicode_AsUTF8(text.get());
}
std::string type_name_of(PyObject* o) {
  Ref name = own(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(o)), "__name__"));
  return PyUnicode_AsUTF8(name.get());
}

std::string cast_error_details(const Parameter& p, PyObject* o) {
  // torch converts SymInt lists by Python's iteration, so the error is that of iter().
  if (p.schema_type.starts_with("SymInt[") && !Py_TYPE(o)->tp_iter && !PySequence_Check(o))
    return std::string("\n Python error details: TypeError: '") + Py_TYPE(o)->tp_name + "' object is not iterable";
  return "\nCast error details: " + cast_details(p, o);
}

bool can_convert_to(const Parameter& p, PyObject* o) {
  std::vector<PyObject*> overloaded;
  int failed_at = -1;
  try {
    return accepts(p, o, -1, overloaded, &failed_at);
  } catch (const PythonError&) {  // a list reports itself which element is wrong, with a text that differs from the schema's
    PyErr_Clear();
    return false;
  }
}

struct Declaration {
  std::string name, text;
};

std::optional<std::string> explain_misfit(const Declaration& op, const Parameter& p, PyObject* o, size_t position) {
  if ((o == Py_None && p.allows_none) || can_convert_to(p, o)) return std::nullopt;
  return op.name + "() Expected a value of type '" + python_annotation_of(p.schema_type) + "' for argument '" + p.name +
         "' but instead found type '" + type_name_of(o) + "'.\nPosition: " + std::to_string(position) +
         "\nValue: " + python_text_of(o, true) + "\nDeclaration: " + op.text + cast_error_details(p, o);
}

PyObject* find_by_name(const Arguments& given, const std::string& name) {
  for (Py_ssize_t i = 0; i < given.n_named(); ++i)
    if (!PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(given.names, i), name.c_str())) return given.values[given.n + i];
  return nullptr;
}

std::optional<std::string> explain_keyword_misfit(const Declaration& op, const Signature& s, const Arguments& given,
                                                  const std::string& base) {
  for (Py_ssize_t i = 0; i < given.n_named(); ++i) {
    const std::string name = python_text_of(PyTuple_GET_ITEM(given.names, i), false);
    bool known = false;
    for (const Parameter& p : s.parameters) known |= p.name == name;
    if (!known) return "Unknown keyword argument '" + name + "' for operator '" + base + "'. Schema: " + op.text;
  }
  for (size_t i = 0; i < size_t(given.n) && i < s.parameters.size(); ++i)
    if (find_by_name(given, s.parameters[i].name))
      return "Argument '" + s.parameters[i].name + "' specified both as positional and keyword argument. Schema: " + op.text;
  return std::nullopt;
}

std::optional<std::string> explain_mismatch(const Signature& s, const Arguments& given, const std::string& base) {
  const Declaration op{base, info_of(s.op).schema};
  const size_t count = s.parameters.size(), received = size_t(given.n + given.n_named());
  auto many = [](size_t n) { return std::to_string(n); };
  if (received > count)
    return base + "() expected at most " + many(count) + " argument(s) but received " + many(received) +
           " argument(s). Declaration: " + op.text;
  size_t at = 0;
  for (; at < size_t(given.n) && !s.parameters[at].keyword_only; ++at)
    if (auto text = explain_misfit(op, s.parameters[at], given.values[at], at)) return text;
  if (at < size_t(given.n))
    return base + "() takes " + many(at) + " positional argument(s) but " + many(size_t(given.n)) +
           " was/were given.  Declaration: " + op.text;
  for (; at < count; ++at) {
    const Parameter& p = s.parameters[at];
    if (PyObject* value = find_by_name(given, p.name)) {
      if (auto text = explain_misfit(op, p, value, at)) return text;
    } else if (!p.optional) {
      return base + "() is missing value for argument '" + p.name + "'. Declaration: " + op.text;
    }
  }
  return explain_keyword_misfit(op, s, given, base);
}

}  // namespace

std::string cast_details(const Parameter& p, PyObject* o) {
  if (p.kind == Kind::tensor) return "Unable to cast " + python_text_of(o, false) + " to Tensor";
  if (p.kind == Kind::scalar) return "Cannot cast " + python_text_of(o, false) + " to number";
  if (p.kind == Kind::optional_tensors && PyList_Check(o)) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(o); ++i) {
      PyObject* item = PyList_GET_ITEM(o, i);
      if (!is_tensor(item) && item != Py_None) return "Unable to cast " + python_text_of(item, false) + " to Tensor";
    }
  }
  return "Unable to cast Python instance of type " + python_text_of(reinterpret_cast<PyObject*>(Py_TYPE(o)), true) +
         " to C++ type '?' (#define PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)";
}

std::string python_annotation_of(std::string_view type) {
  if (type.ends_with('?')) return "Optional[" + python_annotation_of(type.substr(0, type.size() - 1)) + "]";
  if (type.ends_with(']')) return "List[" + python_annotation_of(type.substr(0, type.rfind('['))) + "]";
  if (type.ends_with(')')) return python_annotation_of(type.substr(0, type.rfind('(')));
  if (type == "SymInt" || type == "ScalarType" || type == "Layout" || type == "MemoryFormat") return "int";
  if (type == "Scalar") return "number";
  return std::string(type);
}

void raise_schema_mismatch(const Overloads& overloads, const Arguments& given) {
  std::string all;
  for (const Signature& s : overloads.signatures) {
    const auto text = explain_mismatch(s, given, overloads.name);
    if (!text) return;
    all += *text + "\n\n";
  }
  if (overloads.signatures.size() == 1) raise_text(PyExc_RuntimeError, all.substr(0, all.size() - 2));
  raise_text(PyExc_RuntimeError, "Overloaded torch operator invoked from Python failed to match any schema:\n" + all + "\n");
}

}  // namespace mt::py
