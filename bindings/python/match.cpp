// Matches arguments against signatures by torch's rules.
#include <algorithm>

#include "signature.h"
#include "tensor.h"
#include "torch_function.h"
#include "types.h"

namespace mt::py {
namespace {

bool is_zero_dim_tensor(PyObject* o, bool integral) {
  if (!is_tensor(o)) return false;
  mt_tensor_info info = info_of(o);
  return info.ndim == 0 && !(info.flags & MT_TENSOR_REQUIRES_GRAD) && (!integral || is_integral(info.dtype, false));
}
bool is_int_like(PyObject* o) { return is_int(o) || is_zero_dim_tensor(o, true); }

bool is_tensor_argument(PyObject* o, std::vector<PyObject*>& overloaded) {
  if (is_plain_tensor(o)) return true;
  if (overrides_torch_function(o)) {
    append_overloaded(overloaded, o);
    return true;
  }
  return is_tensor(o);
}

bool is_sequence(PyObject* o) { return PyTuple_Check(o) || PyList_Check(o); }
Py_ssize_t sequence_length(PyObject* o) { return PySequence_Fast_GET_SIZE(o); }
PyObject* sequence_item(PyObject* o, Py_ssize_t i) { return PySequence_Fast_GET_ITEM(o, i); }

bool accepts_tensors(const Parameter& parameter, PyObject* o, int position, std::vector<PyObject*>& overloaded) {
  if (!is_sequence(o)) return false;
  for (Py_ssize_t i = 0; i < sequence_length(o); ++i) {
    PyObject* element = sequence_item(o, i);
    if (parameter.kind == Kind::optional_tensors && element == Py_None) continue;
    if (is_tensor_argument(element, overloaded)) continue;
    raise(PyExc_TypeError, "expected Tensor as element %zd in argument %d, but got %s", i, position, Py_TYPE(element)->tp_name);
  }
  return true;
}

bool is_empty_or_starts_with(PyObject* o, bool (*is_element)(PyObject*)) {
  return sequence_length(o) == 0 || is_element(sequence_item(o, 0));
}
bool is_number_like(PyObject* o) { return is_number(o) || is_zero_dim_tensor(o, false); }
bool is_real_like(PyObject* o) { return is_float_like(o) || is_zero_dim_tensor(o, false); }
bool is_bool(PyObject* o) { return PyBool_Check(o); }

bool accepts_ints(const Parameter& parameter, PyObject* o, std::vector<PyObject*>& overloaded, int* failed_at) {
  if (is_sequence(o)) {
    bool overrides = false;
    for (Py_ssize_t i = 0; i < sequence_length(o); ++i) {
      PyObject* element = sequence_item(o, i);
      if (PyLong_CheckExact(element) || is_tensor(element) || !overrides_torch_function(element)) continue;
      append_overloaded(overloaded, element);
      overrides = true;
    }
    if (overrides) return true;
    // As in torch, only the first element's type decides whether a list matches; conversion checks the others.
    if (sequence_length(o) == 0 || is_index(sequence_item(o, 0))) return true;
    *failed_at = 0;
    return false;
  }
  return parameter.list_size > 0 && is_index(o);
}

bool accepts_list(const Parameter& p, PyObject* o, int position, std::vector<PyObject*>& overloaded, int* failed_at) {
  switch (p.kind) {
    case Kind::ints: return accepts_ints(p, o, overloaded, failed_at);
    case Kind::reals: return is_sequence(o) ? is_empty_or_starts_with(o, is_real_like) : p.list_size > 0 && is_float_like(o);
    case Kind::booleans: return is_sequence(o) && is_empty_or_starts_with(o, is_bool);
    case Kind::tensors:
    case Kind::optional_tensors: return accepts_tensors(p, o, position, overloaded);
    case Kind::scalars: return is_sequence(o) && is_empty_or_starts_with(o, is_number_like);
    case Kind::strings: return is_sequence(o) && is_empty_or_starts_with(o, is_text);
    default: return false;
  }
}

int find_parameter(const Signature& signature, PyObject* name) {
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    if (signature.parameters[i].py_name == name) return static_cast<int>(i);
  }
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    auto& p = signature.parameters[i];
    if (PyUnicode_Compare(p.py_name, name) == 0) return static_cast<int>(i);
    for (PyObject* other : p.other_names) {
      if (PyUnicode_Compare(other, name) == 0) return static_cast<int>(i);
    }
  }
  return -1;
}

[[noreturn]] void raise_extra_positional(const char* name, const Signature& s, Py_ssize_t n) {
  // Required keyword arguments count too, so torch's text can say "from 2 to 1".
  if (s.max_positional != s.min_args) {
    raise(PyExc_TypeError, "%s() takes from %d to %d positional arguments but %zd were given", name, s.min_args, s.max_positional, n);
  }
  raise(PyExc_TypeError, "%s() takes %d positional argument%s but %zd %s given", name, s.max_positional, s.max_positional == 1 ? "" : "s",
        n, n == 1 ? "was" : "were");
}

[[noreturn]] void raise_missing(const char* name, const Signature& s, size_t first) {
  std::string names;
  int missing = 0;
  for (size_t i = first; i < s.parameters.size(); ++i) {
    if (s.parameters[i].optional) continue;  // torch does not check which of the others were passed by name
    names += (missing++ ? ", \"" : "\"") + s.parameters[i].name + "\"";
  }
  // Uses the plural where torch does.
  raise(PyExc_TypeError, "%s() missing %d required positional argument%s: %s", name, missing, missing == 1 ? "s" : "", names.c_str());
}

[[noreturn]] void raise_wrong_type(const char* name, const Parameter& p, PyObject* object, int position, int failed_at) {
  std::string where = position >= 0 ? " (position " + std::to_string(position + 1) + ")" : "";
  if (failed_at >= 0 && position >= 0) {  // for a list passed by keyword, torch's text only says that it is a list
    raise(PyExc_TypeError, "%s(): argument '%s'%s must be %s, but found element of type %s at pos %d", name, p.name.c_str(), where.c_str(),
          printed_type(p), Py_TYPE(sequence_item(object, failed_at))->tp_name, failed_at);
  }
  raise(PyExc_TypeError, "%s(): argument '%s'%s must be %s, not %s", name, p.name.c_str(), where.c_str(), printed_type(p),
        Py_TYPE(object)->tp_name);
}

[[noreturn]] void raise_unexpected(const char* name, const Signature& s, PyObject* keyword) {
  const char* key = PyUnicode_AsUTF8(keyword);
  bool known = std::any_of(s.parameters.begin(), s.parameters.end(), [&](auto& p) { return PyUnicode_Compare(p.py_name, keyword) == 0; });
  if (!known) raise(PyExc_TypeError, "%s() got an unexpected keyword argument '%s'", name, key);
  raise(PyExc_TypeError, "%s() got multiple values for argument '%s'", name, key);
}

// Whether a signature takes this number of positional arguments, the elements of one list of ints included.
bool accepts_argument_count(const char* name, const Signature& s, const Arguments& given, Match& match, bool raising) {
  const Py_ssize_t n = given.n;
  if (n <= s.max_positional) return true;
  if (!s.takes_varargs) {
    if (raising) raise_extra_positional(name, s, n);
    return false;
  }
  PyObject* first = given.values[0];
  if (is_index(first) || (s.parameters.size() == 1 && !is_tensor(first) && overrides_torch_function(first))) return true;
  // The arguments are not sizes passed separately, as in view(2, 3): either the first one is invalid, or there are too many.
  int failed_at = -1;
  bool is_list = accepts(s.parameters[0], first, 0, match.overloaded, &failed_at);
  if (!raising) return false;
  if (is_list || is_tensor(first) || !is_sequence(first)) raise_extra_positional(name, s, n);
  raise_wrong_type(name, s.parameters[0], first, 0, failed_at);
}

// Whether one int is the only element of a list, as in view(6).
bool is_single_vararg(const Signature& s, const Arguments& given) {
  return s.takes_varargs && given.n == 1 && !is_sequence(given.values[0]) && is_index(given.values[0]) && s.parameters[0].list_size == 0;
}

// Fills the parameters after the first `n_bound`; returns a keyword that fits none, or NULL.
PyObject* bind_keywords(const Signature& s, const Arguments& given, Py_ssize_t n_bound, Match& match) {
  PyObject* unexpected = nullptr;
  const Py_ssize_t n_named = given.n_named();
  for (Py_ssize_t i = 0; i < n_named; ++i) {
    PyObject* key = PyTuple_GET_ITEM(given.names, i);
    const int index = find_parameter(s, key);
    if (index < 0 || index < n_bound) {
      unexpected = key;
      continue;
    }
    match.objects[index] = given.values[given.n + i];
  }
  return unexpected;
}

void bind_positionals(const Arguments& given, bool varargs, Match& match) {
  const Py_ssize_t n = given.n;
  if (!varargs) {
    for (Py_ssize_t i = 0; i < n; ++i) match.objects[i] = given.values[i];
    return;
  }
  match.varargs = own(PyTuple_New(n));
  for (Py_ssize_t i = 0; i < n; ++i) PyTuple_SET_ITEM(match.varargs.get(), i, incref(given.values[i]));
  match.objects[0] = match.varargs.get();
}

// Whether the object bound to parameter i, if any, has the right type; None that means the default is unbound.
bool accepts_bound_argument(const char* name, const Signature& s, size_t i, Py_ssize_t n, Match& match, bool raising) {
  const Parameter& p = s.parameters[i];
  PyObject* object = match.objects[i];
  if (!object) {
    if (!p.optional && raising) raise_missing(name, s, i);
    return p.optional;
  }
  if (object == Py_None && (p.allows_none || p.kind == Kind::object)) {
    if (p.none_is_default && p.kind != Kind::object) match.objects[i] = nullptr;
    return true;
  }
  int failed_at = -1;
  if (accepts(p, object, static_cast<int>(i), match.overloaded, &failed_at)) return true;
  // An object that is no tensor but has a __torch_function__ matches a parameter of any type: its override will handle the call.
  if (!is_tensor(object) && overrides_torch_function(object)) {
    append_overloaded(match.overloaded, object);
    return true;
  }
  const bool positional = static_cast<Py_ssize_t>(i) < n;
  if (raising) raise_wrong_type(name, p, object, positional ? static_cast<int>(i) : -1, failed_at);
  return false;
}

}  // namespace

bool accepts(const Parameter& p, PyObject* o, int position, std::vector<PyObject*>& overloaded, int* failed_at) {
  switch (p.kind) {
    case Kind::tensor: return is_tensor_argument(o, overloaded) || (p.allows_number && is_number(o));
    case Kind::scalar: return is_number_like(o);
    case Kind::integer: return is_int_like(o) || (p.takes_index && is_index(o));
    case Kind::real: return is_real_like(o);
    case Kind::boolean: return is_bool(o) || is_numpy_bool(o);
    case Kind::string: return is_text(o);
    case Kind::dtype: return is_dtype(o) || dtype_of_python_type(o) >= 0;
    case Kind::layout: return Py_TYPE(o) == layout_type;
    case Kind::memory_format: return Py_TYPE(o) == memory_format_type;
    case Kind::device: return can_be_device(o);
    case Kind::generator: return is_generator(o);
    case Kind::storage: return can_be_storage(o);
    case Kind::stream: return is_stream(o);
    case Kind::object: return true;
    default: return accepts_list(p, o, position, overloaded, failed_at);
  }
}

bool try_match(const Overloads& overloads, const Signature& s, const Arguments& given, Match& match, bool raising) {
  const char* name = overloads.name.c_str();
  match.signature = &s;
  match.overloaded.clear();
  match.varargs = Ref();
  const size_t n_parameters = s.parameters.size();
  for (size_t i = 0; i < n_parameters; ++i) match.objects[i] = nullptr;
  if (!accepts_argument_count(name, s, given, match, raising)) return false;
  const bool varargs = given.n > s.max_positional;
  if (given.self && overrides_torch_function(given.self)) append_overloaded(match.overloaded, given.self);

  PyObject* unexpected = bind_keywords(s, given, varargs ? 1 : given.n, match);
  bind_positionals(given, varargs || is_single_vararg(s, given), match);
  for (size_t i = 0; i < n_parameters; ++i) {
    if (!accepts_bound_argument(name, s, i, given.n, match, raising)) return false;
  }
  // Checked last: as in torch, wrong types and missing arguments are reported before an unexpected keyword.
  if (unexpected && raising) raise_unexpected(name, s, unexpected);
  return !unexpected;
}

void match_arguments(const Overloads& overloads, const Arguments& given, Match& match) {
  if (overloads.signatures.size() == 1) {
    try_match(overloads, overloads.signatures[0], given, match, /*raising=*/true);
    return;
  }
  for (auto& signature : overloads.signatures) {
    if (try_match(overloads, signature, given, match, /*raising=*/false)) return;
  }
  // If one signature fits the number of arguments, it reports what is wrong; otherwise all signatures are listed.
  const Signature* plausible = nullptr;
  int count = 0;
  Py_ssize_t n = given.n + given.n_named();
  for (auto& s : overloads.signatures) {
    if (s.deprecated || n < s.min_args || n > static_cast<Py_ssize_t>(s.parameters.size())) continue;
    plausible = &s;
    ++count;
  }
  if (count == 1) try_match(overloads, *plausible, given, match, /*raising=*/true);
  raise_no_match(overloads, given);
}

}  // namespace mt::py
