// Python, NumPy and 0-dim tensor numbers as arguments. NumPy is used only if the program imported it.
#include "tensor.h"
#include "types.h"

namespace mt::py {
namespace {

// numpy.<name>, if NumPy is imported; borrowed, and cached for ever.
PyObject* numpy_class(const char* name, PyObject*& cache) {
  if (cache) return cache;
  PyObject* numpy = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
  if (!numpy) return nullptr;
  cache = PyObject_GetAttrString(numpy, name);
  if (!cache) PyErr_Clear();
  return cache;
}
PyObject *numpy_integer, *numpy_bool, *numpy_number, *numpy_complex;

bool is_instance(PyObject* o, PyObject* type) {
  return type && PyType_Check(type) && PyObject_TypeCheck(o, reinterpret_cast<PyTypeObject*>(type));
}
// Types whose instances are never NumPy scalars, to reject common cases fast.
bool is_never_numpy_scalar(PyObject* o) {
  PyTypeObject* t = Py_TYPE(o);
  return t == &PyUnicode_Type || t == &PyTuple_Type || t == &PyList_Type || t == &PyDict_Type || o == Py_None || t == state.tensor;
}

}  // namespace

bool is_numpy_integer(PyObject* o) { return !is_never_numpy_scalar(o) && is_instance(o, numpy_class("integer", numpy_integer)); }
bool is_numpy_bool(PyObject* o) { return !is_never_numpy_scalar(o) && is_instance(o, numpy_class("bool_", numpy_bool)); }
bool is_numpy_number(PyObject* o) {
  return !is_never_numpy_scalar(o) && (is_instance(o, numpy_class("number", numpy_number)) || is_numpy_bool(o));
}

bool is_index(PyObject* o) {
  if (is_int(o)) return true;
  if (is_tensor(o)) {
    const mt_tensor_info info = info_of(o);
    return info.numel == 1 && !(info.flags & MT_TENSOR_REQUIRES_GRAD) && is_integral(info.dtype, /*include_bool=*/false);
  }
  if (!PyIndex_Check(o) || PyBool_Check(o)) return false;
  Ref number(PyNumber_Index(o));  // an array is an index only if it is a single integer
  if (!number) PyErr_Clear();
  return bool(number);
}

int64_t to_int64(PyObject* o) {
  if (!PyLong_Check(o)) {
    if (is_tensor(o)) {
      mt_value value;
      check(mt_tensor_item(handle(o), &value));
      return value.as.i;
    }
    Ref index = own(PyNumber_Index(o));
    return to_int64(index.get());
  }
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
  if (overflow) raise(PyExc_ValueError, "Overflow when unpacking long long");
  if (value == -1 && PyErr_Occurred()) throw PythonError{};
  return value;
}

double to_double(PyObject* o) {
  if (PyFloat_Check(o)) return PyFloat_AS_DOUBLE(o);
  double value = PyFloat_AsDouble(o);
  if (value == -1.0 && PyErr_Occurred()) throw PythonError{};
  return value;
}

mt_value to_number(PyObject* o) {
  mt_value value{};
  if (PyFloat_Check(o)) {
    value.tag = MT_TAG_DOUBLE;
    value.as.d = PyFloat_AS_DOUBLE(o);
  } else if (PyBool_Check(o)) {
    value.tag = MT_TAG_BOOL;
    value.as.i = o == Py_True;
  } else if (PyLong_Check(o)) {
    value.tag = MT_TAG_INT;
    int overflow = 0;
    value.as.i = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow > 0) {
      unsigned long long bits = PyLong_AsUnsignedLongLong(o);
      if (PyErr_Occurred()) {
        PyErr_Clear();
        raise(PyExc_OverflowError, "int too big to convert");
      }
      value.as.i = static_cast<int64_t>(bits);
      value.flags = MT_FLAG_UNSIGNED;
    } else if (overflow < 0) {
      raise(PyExc_OverflowError, "int too big to convert");
    }
  } else if (PyComplex_Check(o)) {
    value.tag = MT_TAG_COMPLEX;
    value.as.c[0] = PyComplex_RealAsDouble(o);
    value.as.c[1] = PyComplex_ImagAsDouble(o);
  } else if (is_tensor(o)) {
    check(mt_tensor_item(handle(o), &value));
  } else if (is_numpy_bool(o)) {
    value.tag = MT_TAG_BOOL;
    int truth = PyObject_IsTrue(o);
    expect_zero(truth);
    value.as.i = truth;
  } else if (is_numpy_integer(o)) {
    Ref index = own(PyNumber_Index(o));
    return to_number(index.get());
  } else if (is_instance(o, numpy_class("complexfloating", numpy_complex))) {
    Py_complex c = PyComplex_AsCComplex(o);
    if (PyErr_Occurred()) throw PythonError{};
    value.tag = MT_TAG_COMPLEX;
    value.as.c[0] = c.real;
    value.as.c[1] = c.imag;
  } else {
    value.tag = MT_TAG_DOUBLE;
    value.as.d = to_double(o);
  }
  return value;
}

PyObject* number_object(const mt_value& value) {
  switch (value.tag) {
    case MT_TAG_BOOL: return PyBool_FromLong(value.as.i != 0);
    case MT_TAG_INT:
      return value.flags & MT_FLAG_UNSIGNED ? PyLong_FromUnsignedLongLong(static_cast<uint64_t>(value.as.i))
                                            : PyLong_FromLongLong(value.as.i);
    case MT_TAG_DOUBLE: return PyFloat_FromDouble(value.as.d);
    case MT_TAG_COMPLEX: return PyComplex_FromDoubles(value.as.c[0], value.as.c[1]);
  }
  PyErr_SetString(PyExc_SystemError, "not a number");
  return nullptr;
}

}  // namespace mt::py
