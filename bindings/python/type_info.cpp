// torch.finfo and torch.iinfo: the limits of a dtype.
#include <cstdio>
#include <limits>

#include "types.h"

namespace mt::py {
namespace {

PyTypeObject *finfo_type, *iinfo_type;

struct InfoObject {
  PyObject_HEAD int32_t dtype;
};
int32_t dtype_of_info(PyObject* self) { return reinterpret_cast<InfoObject*>(self)->dtype; }

struct FloatLimits {
  int32_t dtype;
  double max, min, eps, smallest_normal, resolution;
};
using F32 = std::numeric_limits<float>;
using F64 = std::numeric_limits<double>;
const FloatLimits floats[] = {
    {MT_FLOAT16, 65504, -65504, 0x1p-10, 0x1p-14, 1e-3},
    {MT_BFLOAT16, 0x1.fep127, -0x1.fep127, 0x1p-7, 0x1p-126, 1e-2},
    {MT_FLOAT32, F32::max(), F32::lowest(), F32::epsilon(), F32::min(), 1e-6},
    {MT_FLOAT64, F64::max(), F64::lowest(), F64::epsilon(), F64::min(), 1e-15},
    {MT_FLOAT8_E5M2, 57344, -57344, 0x1p-2, 0x1p-14, 1},
    {MT_FLOAT8_E4M3FN, 448, -448, 0x1p-3, 0x1p-6, 1},
    {MT_FLOAT8_E5M2FNUZ, 57344, -57344, 0x1p-3, 0x1p-15, 1},
    {MT_FLOAT8_E4M3FNUZ, 240, -240, 0x1p-3, 0x1p-7, 1},
    {MT_FLOAT8_E8M0FNU, 0x1p127, 0x1p-127, 1, 0x1p-127, 1},
};
const FloatLimits* float_limits(int32_t dtype) {
  for (auto& limits : floats) {
    if (limits.dtype == dtype) return &limits;
  }
  return nullptr;
}
const FloatLimits& float_limits_of(PyObject* self) { return *float_limits(dtype_of_info(self)); }

PyObject* make_info(PyTypeObject* type, int32_t dtype) {
  auto* self = reinterpret_cast<InfoObject*>(type->tp_alloc(type, 0));
  if (self) self->dtype = dtype;
  return reinterpret_cast<PyObject*>(self);
}

// The argument `type` of both constructors, a dtype or a Python type; -1 if omitted.
int32_t parse_type_argument(const char* function, PyObject* args, PyObject* kwargs) {
  PyObject* value = PyTuple_GET_SIZE(args) ? PyTuple_GET_ITEM(args, 0) : nullptr;
  if (!value && kwargs) value = PyDict_GetItemString(kwargs, "type");
  if (!value) return -1;
  const int32_t dtype = is_dtype(value) ? dtype_code(value) : dtype_of_python_type(value);
  if (dtype < 0) {
    raise(PyExc_TypeError, "%s(): argument 'type' (position 1) must be torch.dtype, not %s", function, Py_TYPE(value)->tp_name);
  }
  return dtype;
}

PyObject* new_finfo(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    int32_t dtype = parse_type_argument("finfo", args, kwargs);
    if (dtype < 0) dtype = mt_default_dtype_get();
    if (dtype == MT_COMPLEX32) dtype = MT_FLOAT16;
    if (dtype == MT_COMPLEX64) dtype = MT_FLOAT32;
    if (dtype == MT_COMPLEX128) dtype = MT_FLOAT64;
    if (!float_limits(dtype)) {
      raise(PyExc_TypeError, "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'");
    }
    return make_info(type, dtype);
  });
}
PyObject* new_iinfo(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    const int32_t dtype = parse_type_argument("iinfo", args, kwargs);
    if (dtype < 0) raise(PyExc_TypeError, "iinfo() missing 1 required positional arguments: \"type\"");
    if (dtype == MT_BOOL) raise(PyExc_TypeError, "torch.bool is not supported by torch.iinfo");
    if (is_floating(dtype) || is_complex(dtype)) {
      raise(PyExc_TypeError, "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'");
    }
    if (mt_dtype_size(dtype) == 0) {
      raise(PyExc_NotImplementedError, "\"dtype\" not implemented for '%s'", scalar_type_name(dtype));
    }
    return make_info(type, dtype);
  });
}

PyObject* float_bits(PyObject* self, void*) { return PyLong_FromLong(mt_dtype_size(dtype_of_info(self)) * 8); }
PyObject* float_eps(PyObject* self, void*) { return PyFloat_FromDouble(float_limits_of(self).eps); }
PyObject* float_max(PyObject* self, void*) { return PyFloat_FromDouble(float_limits_of(self).max); }
PyObject* float_min(PyObject* self, void*) { return PyFloat_FromDouble(float_limits_of(self).min); }
PyObject* float_tiny(PyObject* self, void*) { return PyFloat_FromDouble(float_limits_of(self).smallest_normal); }
PyObject* float_resolution(PyObject* self, void*) { return PyFloat_FromDouble(float_limits_of(self).resolution); }
PyObject* dtype_name(PyObject* self, void*) { return PyUnicode_FromString(mt_dtype_name(dtype_of_info(self))); }

bool is_unsigned(int32_t d) { return d == MT_UINT8 || d == MT_UINT16 || d == MT_UINT32 || d == MT_UINT64; }
uint64_t largest_integer(int32_t d) { return ~uint64_t{0} >> (64 - mt_dtype_size(d) * 8 + !is_unsigned(d)); }
PyObject* int_max(PyObject* self, void*) { return PyLong_FromUnsignedLongLong(largest_integer(dtype_of_info(self))); }
PyObject* int_min(PyObject* self, void*) {
  return is_unsigned(dtype_of_info(self)) ? PyLong_FromLong(0)
                                          : PyLong_FromLongLong(-static_cast<int64_t>(largest_integer(dtype_of_info(self))) - 1);
}

PyObject* format_finfo(PyObject* self) {
  auto& l = float_limits_of(self);
  char text[400];
  snprintf(text, sizeof text, "finfo(resolution=%g, min=%g, max=%g, eps=%g, smallest_normal=%g, tiny=%g, dtype=%s)", l.resolution, l.min,
           l.max, l.eps, l.smallest_normal, l.smallest_normal, mt_dtype_name(l.dtype));
  return PyUnicode_FromString(text);
}
PyObject* format_iinfo(PyObject* self) {
  char text[200];
  double low = is_unsigned(dtype_of_info(self)) ? 0 : -static_cast<double>(largest_integer(dtype_of_info(self))) - 1;
  snprintf(text, sizeof text, "iinfo(min=%g, max=%g, dtype=%s)", low, static_cast<double>(largest_integer(dtype_of_info(self))),
           mt_dtype_name(dtype_of_info(self)));
  return PyUnicode_FromString(text);
}
PyObject* compare(PyObject* a, PyObject* b, int op) {
  if ((op != Py_EQ && op != Py_NE) || Py_TYPE(a) != Py_TYPE(b)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((dtype_of_info(a) == dtype_of_info(b)) == (op == Py_EQ));
}

PyGetSetDef float_getset[] = {{"bits", float_bits, nullptr, "Bits of one number.", nullptr},
                              {"eps", float_eps, nullptr, "The distance from 1 to the next larger number.", nullptr},
                              {"max", float_max, nullptr, "The largest finite number.", nullptr},
                              {"min", float_min, nullptr, "The lowest finite number.", nullptr},
                              {"smallest_normal", float_tiny, nullptr, "The smallest positive normal number.", nullptr},
                              {"tiny", float_tiny, nullptr, "The smallest positive normal number.", nullptr},
                              {"resolution", float_resolution, nullptr, "The decimal resolution, a power of 10.", nullptr},
                              {"dtype", dtype_name, nullptr, "The dtype's name.", nullptr},
                              {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyGetSetDef int_getset[] = {{"bits", float_bits, nullptr, "Bits of one number.", nullptr},
                            {"max", int_max, nullptr, "The largest number.", nullptr},
                            {"min", int_min, nullptr, "The lowest number.", nullptr},
                            {"dtype", dtype_name, nullptr, "The dtype's name.", nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot float_slots[] = {{Py_tp_doc,
                              const_cast<char*>("Limits of a floating-point dtype (default: the default one) or a complex one's parts.")},
                             {Py_tp_new, reinterpret_cast<void*>(new_finfo)},
                             {Py_tp_repr, reinterpret_cast<void*>(format_finfo)},
                             {Py_tp_str, reinterpret_cast<void*>(format_finfo)},
                             {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
                             {Py_tp_getset, float_getset},
                             {0, nullptr}};
PyType_Slot int_slots[] = {{Py_tp_doc, const_cast<char*>("The limits of an integer dtype.")},
                           {Py_tp_new, reinterpret_cast<void*>(new_iinfo)},
                           {Py_tp_repr, reinterpret_cast<void*>(format_iinfo)},
                           {Py_tp_str, reinterpret_cast<void*>(format_iinfo)},
                           {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
                           {Py_tp_getset, int_getset},
                           {0, nullptr}};
PyType_Spec float_spec = {"torch.finfo", sizeof(InfoObject), 0, Py_TPFLAGS_DEFAULT, float_slots};
PyType_Spec int_spec = {"torch.iinfo", sizeof(InfoObject), 0, Py_TPFLAGS_DEFAULT, int_slots};

}  // namespace

void init_type_info(PyObject* module) {
  finfo_type = make_type(&float_spec);
  iinfo_type = make_type(&int_spec);
  add_object(module, "finfo", reinterpret_cast<PyObject*>(finfo_type));
  add_object(module, "iinfo", reinterpret_cast<PyObject*>(iinfo_type));
}

}  // namespace mt::py
