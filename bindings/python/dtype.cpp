// torch.dtype: one immortal object per element type, and queries about element types.

#include "types.h"

namespace mt::py {

PyTypeObject* dtype_type = nullptr;

namespace {

enum class Class : char { integer, boolean, floating, complex, quantized, bits };
struct Entry {
  int32_t code;
  const char* name;
  const char* old_name;     // torch's second name for it
  const char* scalar_name;  // the name in legacy type names and in errors of kernels
  int32_t size;
  Class kind;
  bool is_signed;
  const char* abbreviation;
};
constexpr Entry entries[] = {
    {0, "uint8", nullptr, "Byte", 1, Class::integer, false, "u8"},
    {1, "int8", nullptr, "Char", 1, Class::integer, true, "i8"},
    {2, "int16", "short", "Short", 2, Class::integer, true, "i16"},
    {3, "int32", "int", "Int", 4, Class::integer, true, "i32"},
    {4, "int64", "long", "Long", 8, Class::integer, true, "i64"},
    {5, "float16", "half", "Half", 2, Class::floating, true, "f16"},
    {6, "float32", "float", "Float", 4, Class::floating, true, "f32"},
    {7, "float64", "double", "Double", 8, Class::floating, true, "f64"},
    {8, "complex32", "chalf", "ComplexHalf", 4, Class::complex, true, "c32"},
    {9, "complex64", "cfloat", "ComplexFloat", 8, Class::complex, true, "c64"},
    {10, "complex128", "cdouble", "ComplexDouble", 16, Class::complex, true, "c128"},
    {11, "bool", nullptr, "Bool", 1, Class::boolean, false, "b8"},
    {12, "qint8", nullptr, "QInt8", 1, Class::quantized, true, ""},
    {13, "quint8", nullptr, "QUInt8", 1, Class::quantized, false, ""},
    {14, "qint32", nullptr, "QInt32", 4, Class::quantized, true, ""},
    {15, "bfloat16", nullptr, "BFloat16", 2, Class::floating, true, "bf16"},
    {16, "quint4x2", nullptr, "QUInt4x2", 1, Class::quantized, false, ""},
    {17, "quint2x4", nullptr, "QUInt2x4", 1, Class::quantized, false, ""},
    {18, "bits1x8", nullptr, "Bits1x8", 1, Class::bits, false, ""},
    {19, "bits2x4", nullptr, "Bits2x4", 1, Class::bits, false, ""},
    {20, "bits4x2", nullptr, "Bits4x2", 1, Class::bits, false, ""},
    {21, "bits8", nullptr, "Bits8", 1, Class::bits, false, ""},
    {22, "bits16", nullptr, "Bits16", 2, Class::bits, false, ""},
    {23, "float8_e5m2", nullptr, "Float8_e5m2", 1, Class::floating, true, "f8e5m2"},
    {24, "float8_e4m3fn", nullptr, "Float8_e4m3fn", 1, Class::floating, true, "f8e4m3fn"},
    {25, "float8_e5m2fnuz", nullptr, "Float8_e5m2fnuz", 1, Class::floating, true, "f8e5m2fnuz"},
    {26, "float8_e4m3fnuz", nullptr, "Float8_e4m3fnuz", 1, Class::floating, true, "f8e4m3fnuz"},
    {27, "uint16", nullptr, "UInt16", 2, Class::integer, false, "u16"},
    {28, "uint32", nullptr, "UInt32", 4, Class::integer, false, "u32"},
    {29, "uint64", nullptr, "UInt64", 8, Class::integer, false, "u64"},
    {30, "uint1", nullptr, "UInt1", 1, Class::integer, false, "u1"},
    {31, "uint2", nullptr, "UInt2", 1, Class::integer, false, "u2"},
    {32, "uint3", nullptr, "UInt3", 1, Class::integer, false, "u3"},
    {33, "uint4", nullptr, "UInt4", 1, Class::integer, false, "u4"},
    {34, "uint5", nullptr, "UInt5", 1, Class::integer, false, "u5"},
    {35, "uint6", nullptr, "UInt6", 1, Class::integer, false, "u6"},
    {36, "uint7", nullptr, "UInt7", 1, Class::integer, false, "u7"},
    {37, "int1", nullptr, "Int1", 1, Class::integer, true, "i1"},
    {38, "int2", nullptr, "Int2", 1, Class::integer, true, "i2"},
    {39, "int3", nullptr, "Int3", 1, Class::integer, true, "i3"},
    {40, "int4", nullptr, "Int4", 1, Class::integer, true, "i4"},
    {41, "int5", nullptr, "Int5", 1, Class::integer, true, "i5"},
    {42, "int6", nullptr, "Int6", 1, Class::integer, true, "i6"},
    {43, "int7", nullptr, "Int7", 1, Class::integer, true, "i7"},
    {44, "float8_e8m0fnu", nullptr, "Float8_e8m0fnu", 1, Class::floating, false, "f8e8m0fnu"},
    {45, "float4_e2m1fn_x2", nullptr, "Float4_e2m1fn_x2", 1, Class::floating, true, "f4e2m1fnx2"},
};
constexpr int count = sizeof entries / sizeof *entries;
PyObject* objects[count];

const Entry& entry_of(PyObject* self) { return entries[dtype_code(self)]; }

PyObject* repr(PyObject* self) { return PyUnicode_FromFormat("torch.%s", entry_of(self).name); }
PyObject* reduce(PyObject* self, PyObject*) { return PyUnicode_FromString(entry_of(self).name); }
PyObject* get_floating(PyObject* self, void*) { return PyBool_FromLong(is_floating(dtype_code(self))); }
PyObject* get_complex(PyObject* self, void*) { return PyBool_FromLong(is_complex(dtype_code(self))); }
PyObject* get_signed(PyObject* self, void*) {
  if (entry_of(self).kind == Class::bits || entry_of(self).kind == Class::quantized) {
    PyErr_SetString(PyExc_RuntimeError,
                    entry_of(self).kind == Class::bits ? "Bits types are undefined" : "isSignedType not supported for quantized types");
    return nullptr;
  }
  return PyBool_FromLong(entry_of(self).is_signed);
}
PyObject* get_itemsize(PyObject* self, void*) { return PyLong_FromLong(entry_of(self).size); }
PyObject* get_abbreviation(PyObject* self, void*) { return PyUnicode_FromString(entry_of(self).abbreviation); }

PyObject* to_real(PyObject* self, PyObject*) {
  int32_t code = dtype_code(self);
  return dtype_object(code == MT_COMPLEX32 ? MT_FLOAT16 : code == MT_COMPLEX64 ? MT_FLOAT32 : code == MT_COMPLEX128 ? MT_FLOAT64 : code);
}
PyObject* to_complex(PyObject* self, PyObject*) {
  switch (dtype_code(self)) {
    case MT_BFLOAT16:
    case MT_FLOAT32:
    case MT_COMPLEX64: return dtype_object(MT_COMPLEX64);
    case MT_FLOAT16:
    case MT_COMPLEX32: return dtype_object(MT_COMPLEX32);
    case MT_FLOAT64:
    case MT_COMPLEX128: return dtype_object(MT_COMPLEX128);
  }
  PyErr_Format(PyExc_RuntimeError, "Unknown Complex ScalarType for %s", entry_of(self).scalar_name);
  return nullptr;
}

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, "What pickle saves."},
                         {"to_real", to_real, METH_NOARGS, "The dtype of this dtype's real part."},
                         {"to_complex", to_complex, METH_NOARGS, "The complex dtype whose parts are of this dtype."},
                         {nullptr, nullptr, 0, nullptr}};
PyGetSetDef getset[] = {{"is_floating_point", get_floating, nullptr, "Whether elements are floating-point numbers.", nullptr},
                        {"is_complex", get_complex, nullptr, "Whether elements are complex numbers.", nullptr},
                        {"is_signed", get_signed, nullptr, "Whether elements may be negative; raises for quantized dtypes.", nullptr},
                        {"itemsize", get_itemsize, nullptr, "Bytes of one element.", nullptr},
                        {"abbr", get_abbreviation, nullptr, "A short name, like 'f32'.", nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>("The type of a tensor's elements.")},
                       {Py_tp_repr, reinterpret_cast<void*>(repr)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, getset},
                       {0, nullptr}};
PyType_Spec spec = {"torch.dtype", sizeof(DtypeObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

}  // namespace

PyObject* dtype_object(int32_t code) {
  if (code < 0 || code >= count) {
    PyErr_Format(PyExc_SystemError, "unknown dtype %d", code);
    return nullptr;
  }
  return incref(objects[code]);
}

int32_t dtype_of_name(const std::string& name) {
  for (const Entry& entry : entries)
    if (name == entry.name || (entry.old_name && name == entry.old_name)) return entry.code;
  return -1;
}

bool is_floating(int32_t d) { return d >= 0 && d < count && entries[d].kind == Class::floating; }
bool is_complex(int32_t d) { return d >= 0 && d < count && entries[d].kind == Class::complex; }
bool is_integral(int32_t d, bool include_bool) {
  return d >= 0 && d < count && (entries[d].kind == Class::integer || (include_bool && entries[d].kind == Class::boolean));
}
const char* cpp_type_name(int32_t dtype) {
  static const std::pair<int32_t, const char*> names[] = {{MT_FLOAT32, "float"},
                                                          {MT_FLOAT64, "double"},
                                                          {MT_INT32, "int"},
                                                          {MT_INT64, "long int"},
                                                          {MT_INT16, "short int"},
                                                          {MT_UINT8, "unsigned char"},
                                                          {MT_INT8, "signed char"},
                                                          {MT_BOOL, "bool"},
                                                          {MT_FLOAT16, "c10::Half"},
                                                          {MT_BFLOAT16, "c10::BFloat16"},
                                                          {MT_COMPLEX64, "c10::complex<float>"},
                                                          {MT_COMPLEX128, "c10::complex<double>"}};
  for (auto& [code, name] : names) {
    if (code == dtype) return name;
  }
  return scalar_type_name(dtype);
}
const char* scalar_type_name(int32_t d) { return d >= 0 && d < count ? entries[d].scalar_name : "Undefined"; }

int32_t dtype_of_python_type(PyObject* type) {
  if (type == reinterpret_cast<PyObject*>(&PyFloat_Type)) return MT_FLOAT64;
  if (type == reinterpret_cast<PyObject*>(&PyLong_Type)) return MT_INT64;
  if (type == reinterpret_cast<PyObject*>(&PyBool_Type)) return MT_BOOL;
  if (type == reinterpret_cast<PyObject*>(&PyComplex_Type)) return MT_COMPLEX128;
  return -1;
}

void init_dtype(PyObject* module) {
  dtype_type = make_type(&spec);
  // torch's dtypes have a module string that is not interned, which shows in pickles of protocol 4.
  Ref module_name = own(PyUnicode_FromString("torch"));
  expect_zero(PyDict_SetItemString(dtype_type->tp_dict, "__module__", module_name.get()));
  PyType_Modified(dtype_type);
  add_object(module, "dtype", reinterpret_cast<PyObject*>(dtype_type));
  // The package takes its dtype names from here.
  Ref names = own(PyDict_New());
  for (int i = 0; i < count; ++i) {
    auto* object = PyObject_New(DtypeObject, dtype_type);
    expect(object != nullptr);
    object->code = entries[i].code;
    object->name = entries[i].name;
    objects[i] = reinterpret_cast<PyObject*>(object);
    expect_zero(PyDict_SetItemString(names.get(), entries[i].name, objects[i]));
    if (entries[i].old_name) expect_zero(PyDict_SetItemString(names.get(), entries[i].old_name, objects[i]));
  }
  add_object(module, "_mt_dtypes", names.get());
}

}  // namespace mt::py
