// Reads Python data for torch.tensor: infers the dtype and shape of nested sequences, then converts their elements.
#include <cmath>
#include <cstring>
#include <vector>

#include "creation.h"
#include "methods.h"
#include "operators.h"
#include "python_call.h"
#include "types.h"

namespace mt::py {
namespace {

constexpr size_t max_depth = 128;

[[noreturn]] void raise_text_data(PyObject* o) { raise(PyExc_TypeError, "new(): invalid data type '%s'", Py_TYPE(o)->tp_name); }

bool is_nested_sequence(PyObject* o) {
  return PyList_Check(o) || PyTuple_Check(o) ||
         (PySequence_Check(o) && !PyUnicode_Check(o) && !PyDict_Check(o) && !is_numpy_number(o) && !is_tensor(o));
}

int32_t promote_dtypes(int32_t a, int32_t b) {
  if (a < 0) return b;
  int32_t result;
  check(mt_dtype_promote(a, b, &result));
  return result;
}

int32_t dtype_of_numpy(PyObject* o) {
  Ref dtype = own(PyObject_GetAttrString(o, "dtype"));
  Ref name = own(PyObject_GetAttrString(dtype.get(), "name"));
  const char* text = PyUnicode_AsUTF8(name.get());
  return text ? dtype_of_name(text) : -1;
}

int32_t infer_dtype(PyObject* o) {
  if (PyFloat_CheckExact(o)) return mt_default_dtype_get();
  if (PyBool_Check(o)) return MT_BOOL;
  if (PyLong_Check(o)) return MT_INT64;
  if (is_tensor(o)) return info_of(o).dtype;
  if (is_numpy_number(o) || is_numpy_array(o)) {
    int32_t dtype = dtype_of_numpy(o);
    if (dtype >= 0) return dtype;
  }
  if (PyFloat_Check(o)) return mt_default_dtype_get();
  if (PyComplex_Check(o)) {
    int32_t real = mt_default_dtype_get();
    return real == MT_FLOAT64 ? MT_COMPLEX128 : real == MT_FLOAT16 ? MT_COMPLEX32 : MT_COMPLEX64;
  }
  if (is_text(o)) raise_text_data(o);
  if (!is_nested_sequence(o)) raise(PyExc_RuntimeError, "Could not infer dtype of %s", Py_TYPE(o)->tp_name);
  const Py_ssize_t n = PySequence_Size(o);
  if (n < 0) throw PythonError{};
  if (n == 0) return mt_default_dtype_get();
  int32_t dtype = -1;
  const bool is_list = PyList_Check(o) || PyTuple_Check(o);
  for (Py_ssize_t i = 0; i < n; ++i) {
    // Reads elements by index instead of iterating: iterators of some sequences convert NumPy's numbers to Python's, which loses their
    // dtype.
    Ref owned = is_list ? Ref() : own(PySequence_GetItem(o, i));
    PyObject* item = is_list ? PySequence_Fast_GET_ITEM(o, i) : owned.get();
    if (item == o) raise(PyExc_TypeError, "new(): self-referential lists are incompatible");
    dtype = promote_dtypes(dtype, infer_dtype(item));
    // Every dtype promotes to complex128, so later elements cannot change the result.
    if (dtype == MT_COMPLEX128) break;
  }
  return dtype;
}

std::vector<int64_t> nested_shape_of(PyObject* data) {
  std::vector<int64_t> sizes;
  Ref level = Ref::borrow(data);
  while (is_nested_sequence(level.get())) {
    Py_ssize_t n = PySequence_Size(level.get());
    if (n < 0) throw PythonError{};
    sizes.push_back(n);
    if (sizes.size() > max_depth) raise(PyExc_ValueError, "too many dimensions '%s'", Py_TYPE(level.get())->tp_name);
    if (n == 0) break;
    Ref first(PySequence_GetItem(level.get(), 0));
    if (!first) {
      PyErr_Clear();
      raise(PyExc_ValueError, "could not determine the shape of object type '%s'", Py_TYPE(level.get())->tp_name);
    }
    level = std::move(first);
    // A string is an infinitely nested sequence of strings.
    if (PyUnicode_Check(level.get())) raise(PyExc_ValueError, "too many dimensions '%s'", Py_TYPE(level.get())->tp_name);
  }
  return sizes;
}

[[noreturn]] void raise_overflow(int32_t dtype) {
  raise(PyExc_RuntimeError, "value cannot be converted to type %s without overflow", mt_dtype_name(dtype));
}

// Converts a number for an integer dtype; truncates floats, as torch does.
int64_t to_integer(PyObject* o, int32_t dtype) {
  if (PyFloat_Check(o)) {
    double value = PyFloat_AS_DOUBLE(o);
    if (!(value >= -9223372036854775808.0 && value < 9223372036854775808.0)) raise_overflow(dtype);
    return static_cast<int64_t>(value);
  }
  if (is_tensor(o)) {
    if (info_of(o).numel != 1) raise(PyExc_TypeError, "only integer tensors of a single element can be converted to an index");
    Ref number = own(PyNumber_Long(o));
    return to_integer(number.get(), dtype);
  }
  if (is_numpy_number(o) && !PyLong_Check(o)) {
    Ref number = own(PyNumber_Long(o));
    return to_integer(number.get(), dtype);
  }
  if (dtype == MT_UINT64) {
    Ref index = own(PyNumber_Index(o));
    unsigned long long bits = PyLong_AsUnsignedLongLongMask(index.get());
    if (PyErr_Occurred()) throw PythonError{};
    return static_cast<int64_t>(bits);
  }
  return to_int64(o);
}
double to_real_number(PyObject* o) {
  if (PyFloat_Check(o)) return PyFloat_AS_DOUBLE(o);
  if (is_tensor(o) && info_of(o).numel != 1) raise(PyExc_ValueError, "only one element tensors can be converted to Python scalars");
  double value = PyFloat_AsDouble(o);
  if (value == -1 && PyErr_Occurred()) throw PythonError{};
  return value;
}

template <class T>
void store_integer(char* place, PyObject* o, int32_t dtype) {
  int64_t value = to_integer(o, dtype);
  // Negative numbers wrap in unsigned types, as in torch.
  bool wraps = std::is_unsigned_v<T> && value < 0 && value >= -static_cast<int64_t>(std::numeric_limits<T>::max());
  if (sizeof(T) < 8 && !wraps &&
      (value > static_cast<int64_t>(std::numeric_limits<T>::max()) || value < static_cast<int64_t>(std::numeric_limits<T>::min()))) {
    raise_overflow(dtype);
  }
  *reinterpret_cast<T*>(place) = static_cast<T>(value);
}

// Half and 8-bit floats are read as float32, and complex32 as complex64; an operator then converts them.
int32_t dtype_to_read(int32_t dtype) {
  if (dtype == MT_COMPLEX32) return MT_COMPLEX64;
  return is_floating(dtype) && mt_dtype_size(dtype) < 4 ? static_cast<int32_t>(MT_FLOAT32) : dtype;
}

class Reader {
 public:
  Reader(const std::vector<int64_t>& sizes, int32_t dtype, char* at)
      : sizes_(sizes), dtype_(dtype), width_(mt_dtype_size(dtype)), at_(at) {}

  void read(PyObject* data, size_t dim) {
    if (dim == sizes_.size()) {
      store_number(at_, dtype_, data);
      at_ += width_;
      return;
    }
    Ref items(PySequence_Fast(data, "not a sequence"));
    if (!items) {
      PyErr_Clear();
      raise(PyExc_TypeError, "not a sequence");
    }
    Py_ssize_t n = PySequence_Fast_GET_SIZE(items.get());
    if (n != sizes_[dim]) {
      raise(PyExc_ValueError, "expected sequence of length %lld at dim %zu (got %zd)", static_cast<long long>(sizes_[dim]), dim, n);
    }
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(items.get(), i);
      if (is_numpy_array(item)) warn_of_arrays(item);
      read(item, dim + 1);
    }
  }

 private:
  static void warn_of_arrays(PyObject* item) {
    static bool given = false;
    if (!is_due(given)) return;
    warn(PyExc_UserWarning, std::string("Creating a tensor from a list of ") + Py_TYPE(item)->tp_name +
                                "s is extremely slow. Please consider converting the list to a single numpy.ndarray with numpy.array() "
                                "before converting to a tensor.");
  }

  const std::vector<int64_t>& sizes_;
  int32_t dtype_;
  int32_t width_;
  char* at_;
};

bool is_plain_data(PyObject* o) { return PyList_CheckExact(o) || PyTuple_CheckExact(o) || PyFloat_CheckExact(o) || PyLong_CheckExact(o); }

Handle copy_to_device(const Handle& tensor, int32_t dtype, const mt_device* device) {
  const mt_tensor_info info = info_of(tensor.get());
  const mt_value args[4] = {tensor_value(tensor.get()), dtype_value(dtype >= 0 ? dtype : info.dtype), none_value(),
                            device                        ? device_value(*device)
                            : info.device.type == MT_META ? none_value()  // the real one, whatever a subclass reports
                                                          : device_value(info.device)};
  return call_for_tensor(find_op("_to_copy", ""), args, 4);
}

// Hides calls from modes of __torch_dispatch__: the steps that make a tensor from data are not calls of the program.
class HiddenFromModes {
 public:
  HiddenFromModes() : needed_(has_dispatch_modes()) {
    constexpr uint64_t python = uint64_t{1} << MT_KEY_PYTHON;
    if (!needed_) return;
    check(mt_dispatch_keys_get(&included_, &excluded_));
    check(mt_dispatch_keys_set(included_ & ~python, excluded_ | python));
  }
  ~HiddenFromModes() {
    mt_status* status = needed_ ? mt_dispatch_keys_set(included_, excluded_) : nullptr;
    if (status) mt_status_release(status);
  }
  HiddenFromModes(const HiddenFromModes&) = delete;
  HiddenFromModes& operator=(const HiddenFromModes&) = delete;

 private:
  bool needed_;
  uint64_t included_ = 0, excluded_ = 0;
};

Handle convert_to_device(Handle tensor, int32_t dtype, const mt_device* device) {
  mt_tensor_info info = info_of(tensor.get());
  const bool same_device = is_on(info, device);
  if (same_device && (dtype < 0 || dtype == info.dtype)) return tensor;
  mt_value args[4] = {tensor_value(tensor.get()), dtype_value(dtype), none_value(), none_value()};
  if (!same_device) args[3] = device_value(*device);
  return call_for_tensor(find_op("_to_copy", ""), args, 4);
}

}  // namespace

void store_number(char* place, int32_t dtype, PyObject* o) {
  switch (dtype) {
    case MT_FLOAT32: *reinterpret_cast<float*>(place) = static_cast<float>(to_real_number(o)); return;
    case MT_FLOAT64: *reinterpret_cast<double*>(place) = to_real_number(o); return;
    case MT_INT64: *reinterpret_cast<int64_t*>(place) = to_integer(o, dtype); return;
    case MT_UINT64: *reinterpret_cast<int64_t*>(place) = to_integer(o, dtype); return;
    case MT_INT32: return store_integer<int32_t>(place, o, dtype);
    case MT_INT16: return store_integer<int16_t>(place, o, dtype);
    case MT_INT8: return store_integer<int8_t>(place, o, dtype);
    case MT_UINT8: return store_integer<uint8_t>(place, o, dtype);
    case MT_UINT16: return store_integer<uint16_t>(place, o, dtype);
    case MT_UINT32: return store_integer<uint32_t>(place, o, dtype);
    case MT_BOOL: {
      int truth = PyObject_IsTrue(o);
      expect_zero(truth);
      *reinterpret_cast<uint8_t*>(place) = static_cast<uint8_t>(truth);
      return;
    }
    case MT_COMPLEX64:
    case MT_COMPLEX128: {
      Py_complex c = PyComplex_AsCComplex(o);
      if (PyErr_Occurred()) throw PythonError{};
      if (dtype == MT_COMPLEX128) {
        reinterpret_cast<double*>(place)[0] = c.real;
        reinterpret_cast<double*>(place)[1] = c.imag;
      } else {
        reinterpret_cast<float*>(place)[0] = static_cast<float>(c.real);
        reinterpret_cast<float*>(place)[1] = static_cast<float>(c.imag);
      }
      return;
    }
  }
  raise(PyExc_NotImplementedError, "writing a Python number as %s is not implemented", mt_dtype_name(dtype));
}

Handle record_fresh_tensor(Handle made) {
  if (!has_dispatch_modes()) return made;
  const mt_value value = tensor_value(made.get());
  return call_for_tensor(find_op("lift_fresh", ""), &value, 1);
}

Handle tensor_from_data(PyObject* data, int32_t dtype, const mt_device* device) {
  if (is_text(data)) raise_text_data(data);
  if (is_tensor(data)) {
    Handle plain;
    const mt_value value = tensor_value(handle(data));
    if (has_dispatch_modes() || overrides_torch_dispatch(Py_TYPE(data)))
      plain = call_for_tensor(find_op("detach", ""), &value, 1);
    else
      check(mt_tensor_alias(handle(data), 0, plain.out()));
    return copy_to_device(plain, dtype, device);
  }
  if (!is_plain_data(data) && can_be_storage(data)) return convert_to_device(tensor_over_storage(data, dtype), dtype, device);
  if (is_numpy_array(data))
    return copy_to_device(record_fresh_tensor(tensor_from_numpy(data, /*warn_if_not_writable=*/false)), dtype, device);
  if (!is_plain_data(data) && PyObject_HasAttrString(data, "__dlpack__")) {
    Ref convert = import_from_root("utils.dlpack", "from_dlpack");
    Ref shared = own(PyObject_CallOneArg(convert.get(), data));
    return copy_to_device(Handle::borrow(handle(shared.get())), dtype, device);
  }
  std::vector<int64_t> sizes = nested_shape_of(data);
  int32_t wanted = dtype >= 0 ? dtype : infer_dtype(data);
  int32_t reading = dtype_to_read(wanted);
  Handle tensor;
  check(mt_tensor_empty(sizes.data(), static_cast<int64_t>(sizes.size()), reading, {MT_CPU, -1}, tensor.out()));
  void* memory = nullptr;
  check(mt_tensor_data(tensor.get(), &memory));
  Reader(sizes, reading, static_cast<char*>(memory)).read(data, 0);
  {
    const HiddenFromModes below;
    tensor = convert_to_device(std::move(tensor), wanted, device);
  }
  return record_fresh_tensor(std::move(tensor));
}

}  // namespace mt::py
