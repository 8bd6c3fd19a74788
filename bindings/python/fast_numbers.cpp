// Operators of plain tensors (a + b, a < b) without the lookup of dunder methods that Python's own slots make.

#include "operators.h"
#include "tensor.h"
#include "torch_function.h"
#include "types.h"

namespace mt::py {
namespace {

struct Operator {
  const char* name;       // the left operand's method
  const char* reflected;  // the right operand's method; NULL for in-place operators
  size_t offset;          // of the slot
};
constexpr Operator operators[] = {
    {"__add__", "__radd__", offsetof(PyNumberMethods, nb_add)},
    {"__sub__", "__rsub__", offsetof(PyNumberMethods, nb_subtract)},
    {"__mul__", "__rmul__", offsetof(PyNumberMethods, nb_multiply)},
    {"__truediv__", "__rtruediv__", offsetof(PyNumberMethods, nb_true_divide)},
    {"__matmul__", "__rmatmul__", offsetof(PyNumberMethods, nb_matrix_multiply)},
    {"__and__", "__rand__", offsetof(PyNumberMethods, nb_and)},
    {"__or__", "__ror__", offsetof(PyNumberMethods, nb_or)},
    {"__iadd__", nullptr, offsetof(PyNumberMethods, nb_inplace_add)},
    {"__isub__", nullptr, offsetof(PyNumberMethods, nb_inplace_subtract)},
    {"__imul__", nullptr, offsetof(PyNumberMethods, nb_inplace_multiply)},
};
constexpr int n_operators = sizeof operators / sizeof *operators;
constexpr const char* comparison_names[] = {"__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__"};

// Finds an operator's overload for two tensors.
const Signature* tensor_overload(const char* name) {
  OverloadGroup* group = name ? find_method(name) : nullptr;
  if (!group) return nullptr;
  for (auto& s : group->overloads.signatures) {
    if (!s.deprecated && s.self_slot == 0 && s.parameters.size() >= 1 && s.min_args == 1 && s.parameters[0].slot == 1 &&
        s.parameters[0].kind == Kind::tensor) {
      return &s;
    }
  }
  return nullptr;
}

struct Entry {
  const Signature* signature;
  OverloadGroup* group;
  PyObject *name, *reflected;  // interned
};
Entry entries[n_operators];
Entry comparisons[6];
richcmpfunc generic_compare;

PyObject* call_with_two_tensors(const Signature& s, PyObject* a, PyObject* b) {
  return guarded([&] {
    mt_value values[2] = {tensor_value(handle(a)), tensor_value(handle(b))};
    Results results;
    call(s.op, values, 2, results);
    return s.is_inplace ? incref(a) : to_python(results.values[0]);
  });
}
// Calls an operator on a tensor and a Python number: skips the lookup of the dunder method as well, but the binder selects the overload.
PyObject* call_with_number(OverloadGroup& group, PyObject* self, PyObject* other) {
  PyObject* values[1] = {other};
  PyObject* result = guarded([&] { return invoke(group, {self, values, 1, nullptr}); });
  if (!result && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    Py_RETURN_NOTIMPLEMENTED;
  }
  return result;
}
bool is_plain_number(PyObject* o) { return PyFloat_CheckExact(o) || PyLong_CheckExact(o); }

// The rule of Python's own slots: the left operand's method, then the right one's reflected method; in the other order if the right
// operand's class derives from the left one's and overrides the reflected method. All tensor classes share the slot, so Python calls it
// only once.
PyObject* call_dunder_methods(const Entry& entry, PyObject* a, PyObject* b) {
  PyTypeObject *left = Py_TYPE(a), *right = Py_TYPE(b);
  PyObject* reflected = entry.reflected && left != right && is_tensor(b) ? _PyType_Lookup(right, entry.reflected) : nullptr;
  if (is_tensor(a)) {
    if (reflected && PyType_IsSubtype(right, left) && reflected != _PyType_Lookup(left, entry.reflected)) {
      PyObject* result = PyObject_CallMethodOneArg(b, entry.reflected, a);
      if (result != Py_NotImplemented) return result;
      Py_DECREF(result);
      reflected = nullptr;
    }
    PyObject* result = PyObject_CallMethodOneArg(a, entry.name, b);
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
  }
  if (reflected) return PyObject_CallMethodOneArg(b, entry.reflected, a);
  Py_RETURN_NOTIMPLEMENTED;
}

template <int I>
PyObject* binary_slot(PyObject* a, PyObject* b) {
  Entry& entry = entries[I];
  if (is_plain_tensor(a) && !function_state().mode_active()) {
    if (entry.signature && is_plain_tensor(b)) return call_with_two_tensors(*entry.signature, a, b);
    if (is_plain_number(b)) return call_with_number(*entry.group, a, b);
  }
  return call_dunder_methods(entry, a, b);
}

PyObject* richcompare_slot(PyObject* a, PyObject* b, int op) {
  Entry& entry = comparisons[op];
  if (entry.group && is_plain_tensor(a) && !function_state().mode_active()) {
    if (entry.signature && is_plain_tensor(b)) return call_with_two_tensors(*entry.signature, a, b);
    if (is_plain_number(b)) return call_with_number(*entry.group, a, b);
  }
  return generic_compare(a, b, op);
}

template <int... I>
void find_operator_entries(std::integer_sequence<int, I...>) {
  (
      [&] {
        Entry& entry = entries[I];
        entry.group = find_method(operators[I].name);
        entry.signature = tensor_overload(operators[I].name);
        entry.name = PyUnicode_InternFromString(operators[I].name);
        if (operators[I].reflected) entry.reflected = PyUnicode_InternFromString(operators[I].reflected);
      }(),
      ...);
}
template <int... I>
void install_binary_slots(PyNumberMethods* numbers, std::integer_sequence<int, I...>) {
  (
      [&] {
        if (!entries[I].group) return;
        *reinterpret_cast<binaryfunc*>(reinterpret_cast<char*>(numbers) + operators[I].offset) = binary_slot<I>;
      }(),
      ...);
}

}  // namespace

// Python recomputes a slot when a class gets a new dunder, so a patched Tensor.__add__ still works.
void install_fast_numbers(PyTypeObject* type) {
  static const bool found = [&] {
    find_operator_entries(std::make_integer_sequence<int, n_operators>{});
    generic_compare = type->tp_richcompare;
    for (int op = 0; op < 6; ++op) {
      comparisons[op].group = find_method(comparison_names[op]);
      comparisons[op].signature = tensor_overload(comparison_names[op]);
    }
    return true;
  }();
  static_cast<void>(found);
  install_binary_slots(type->tp_as_number, std::make_integer_sequence<int, n_operators>{});
  type->tp_richcompare = richcompare_slot;
}

}  // namespace mt::py
