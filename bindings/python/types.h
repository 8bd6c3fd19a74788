// The small value types: dtype, layout, memory format, device, size, generator, storage.
#pragma once
#include <span>
#include <string>

#include "common.h"

namespace mt::py {

// dtype (dtype.cpp)
struct DtypeObject {
  PyObject_HEAD int32_t code;
  const char* name;  // "float32"
};
extern PyTypeObject* dtype_type;
inline bool is_dtype(PyObject* o) { return Py_TYPE(o) == dtype_type; }
inline int32_t dtype_code(PyObject* o) { return reinterpret_cast<DtypeObject*>(o)->code; }
PyObject* dtype_object(int32_t code);  // new reference
int32_t dtype_of_name(const std::string& name);  // "int64" or "long"; -1 for others
bool is_floating(int32_t dtype);
bool is_complex(int32_t dtype);
bool is_integral(int32_t dtype, bool include_bool);
// float -> torch.float64, int -> torch.int64, bool -> torch.bool, complex -> torch.complex128; -1 for others.
int32_t dtype_of_python_type(PyObject* type);
// "Float", as in kernels' errors and legacy type names.
const char* scalar_type_name(int32_t dtype);
const char* cpp_type_name(int32_t dtype);  // "double" for float64: C++'s names, for a few texts

// layout and memory_format (layout.cpp)
extern PyTypeObject* layout_type;
extern PyTypeObject* memory_format_type;
int32_t layout_code(PyObject* o);
const char* layout_name(int32_t code);            // "Sparse", "SparseCsr": as in errors
int32_t memory_format_code(PyObject* o);
PyObject* layout_object(int32_t code);         // new reference
PyObject* memory_format_object(int32_t code);  // new reference

// device (device.cpp)
struct DeviceObject {
  PyObject_HEAD mt_device device;
};
extern PyTypeObject* device_type;
inline bool is_device(PyObject* o) { return Py_TYPE(o) == device_type; }
PyObject* device_object(mt_device device);  // new reference
// Whether the object is accepted as a device: a device, a string, an int.
bool can_be_device(PyObject* o);
bool is_stream(PyObject* o);
mt_device to_device(PyObject* o);
std::string device_text(mt_device device);  // "cpu", "npu:1"

// Size (size.cpp)
extern PyTypeObject* size_type;
PyObject* size_object(std::span<const int64_t> sizes);  // new reference

// Generator (generator.cpp)
struct GeneratorObject {
  PyObject_HEAD mt_generator* generator;
};
extern PyTypeObject* generator_type;
inline bool is_generator(PyObject* o) { return PyObject_TypeCheck(o, generator_type); }
PyObject* generator_object(mt_generator* owned);

// Storages (storage.cpp)
struct StorageObject {
  PyObject_HEAD mt_storage* storage;
  PyObject* weakrefs;
  PyObject* dict;
  bool owned_by_handle;
};
extern PyTypeObject* storage_base_type;
inline bool is_storage(PyObject* o) { return PyObject_TypeCheck(o, storage_base_type); }
// The mt_storage of an UntypedStorage, or of a TypedStorage's untyped one; borrowed. dtype: -1 if untyped.
mt_storage* to_storage(PyObject* o, int32_t* dtype = nullptr);
bool can_be_storage(PyObject* o);
// Raises if a typed storage has another dtype than `dtype`; `name` is for the message.
void check_storage_dtype(PyObject* o, int32_t dtype, const char* name);
PyObject* storage_object(mt_storage* owned);

// Numbers (numbers.cpp): objects accepted as an int, a float or a number.
bool is_numpy_integer(PyObject* o);
bool is_numpy_bool(PyObject* o);
bool is_numpy_number(PyObject* o);
inline bool is_int(PyObject* o) {
  if (PyLong_CheckExact(o)) return true;
  if (PyBool_Check(o) || PyFloat_CheckExact(o)) return false;
  return PyLong_Check(o) || is_numpy_integer(o);
}
// Objects accepted as a size or an element's index: an int, a tensor of one integer, or any object whose __index__ returns an int.
bool is_index(PyObject* o);
// Where torch takes a str, it takes bytes as well.
inline bool is_text(PyObject* o) { return PyUnicode_Check(o) || PyBytes_Check(o); }
// The characters of a str (as UTF-8) or of bytes; they remain the object's.
std::string_view text_of(PyObject* o);
inline bool is_float_like(PyObject* o) { return PyFloat_Check(o) || PyLong_Check(o) || is_numpy_number(o); }
inline bool is_number(PyObject* o) { return PyFloat_Check(o) || PyLong_Check(o) || PyComplex_Check(o) || is_numpy_number(o); }
// Converts a Python int to int64, with torch's overflow text; accepts NumPy integers and 0-dim integer tensors.
int64_t to_int64(PyObject* o);
double to_double(PyObject* o);
// Converts a bool, int, float, complex, NumPy scalar or 0-dim tensor to a number value.
mt_value to_number(PyObject* o);
PyObject* number_object(const mt_value& value);  // new reference

}  // namespace mt::py
