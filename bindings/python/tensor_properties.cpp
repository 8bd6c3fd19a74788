// Properties that describe a tensor: shape, dtype, device, views of it by operators.
#include "operators.h"
#include "tensor.h"
#include "torch_function.h"
#include "types.h"

namespace mt::py {
namespace {

PyObject* shape(PyObject* self) {
  mt_tensor_info info = info_of(self);
  return size_object({info.sizes, static_cast<size_t>(info.ndim)});
}
PyObject* dtype(PyObject* self) { return dtype_object(info_of(self).dtype); }
PyObject* device(PyObject* self) { return device_object(info_of(self).device); }
PyObject* layout(PyObject* self) { return layout_object(info_of(self).layout); }
PyObject* ndim(PyObject* self) { return PyLong_FromLongLong(info_of(self).ndim); }
PyObject* itemsize(PyObject* self) { return PyLong_FromLong(mt_dtype_size(info_of(self).dtype)); }
PyObject* nbytes(PyObject* self) {
  mt_tensor_info info = info_of(self);
  return PyLong_FromLongLong(info.numel * mt_dtype_size(info.dtype));
}
template <int32_t Type>
PyObject* is_on(PyObject* self) {
  return PyBool_FromLong(info_of(self).device.type == Type);
}
PyObject* never(PyObject* self) {
  handle(self);
  return incref(Py_False);
}
PyObject* cdata(PyObject* self) { return PyLong_FromVoidPtr(handle(self)); }
PyObject* python_dispatch(PyObject* self) {
  return PyBool_FromLong((info_of(self).keys >> MT_KEY_PYTHON) & 1);
}
PyObject* is_volatile(PyObject* self) {
  warn(PyExc_UserWarning, "volatile was removed (Variable.volatile is always False)");
  return never(self);
}
PyObject* nothing(PyObject*) { return incref(Py_None); }

PyObject* by_operator(PyObject* self, const char* name) {
  mt_value args[1] = {tensor_value(handle(self))};
  return wrap(call_for_tensor(find_op(name, ""), args, 1));
}
PyObject* get_T(PyObject* self) { return by_operator(self, "numpy_T"); }
PyObject* get_H(PyObject* self) { return by_operator(self, "matrix_H"); }
PyObject* get_mT(PyObject* self) { return by_operator(self, "mT"); }
PyObject* get_mH(PyObject* self) { return by_operator(self, "mH"); }
PyObject* get_real(PyObject* self) { return by_operator(self, "real"); }
PyObject* get_imag(PyObject* self) { return by_operator(self, "imag"); }

void assign_to(PyObject* part, PyObject* value) {
  Ref target(part);
  if (!value) raise(PyExc_RuntimeError, "can't delete the real or imaginary part of a tensor");
  expect_zero(set_item(target.get(), Py_Ellipsis, value));
}
void set_real(PyObject* self, PyObject* value) { assign_to(get_real(self), value); }
void set_imag(PyObject* self, PyObject* value) { assign_to(get_imag(self), value); }

Property properties[] = {
    {"shape", shape, nullptr},
    {"dtype", dtype, nullptr},
    {"device", device, nullptr},
    {"layout", layout, nullptr},
    {"ndim", ndim, nullptr},
    {"itemsize", itemsize, nullptr},
    {"nbytes", nbytes, nullptr},
    {"is_cpu", is_on<MT_CPU>, nullptr},
    {"is_cuda", is_on<MT_CUDA>, nullptr},
    {"is_npu", is_on<MT_NPU>, nullptr},
    {"is_meta", is_on<MT_META>, nullptr},
    {"is_xpu", never, nullptr},
    {"is_xla", never, nullptr},
    {"is_ipu", never, nullptr},
    {"is_mps", never, nullptr},
    {"is_mtia", never, nullptr},
    {"is_maia", never, nullptr},
    {"is_vulkan", never, nullptr},
    {"is_sparse", never, nullptr},
    {"is_sparse_csr", never, nullptr},
    {"is_mkldnn", never, nullptr},
    {"is_quantized", never, nullptr},
    {"is_nested", never, nullptr},
    {"_has_symbolic_sizes_strides", never, nullptr},
    {"volatile", is_volatile, nullptr},
    {"name", nothing, nullptr},
    {"_cdata", cdata, nullptr},
    {"_python_dispatch", python_dispatch, nullptr},
    {"T", get_T, nullptr},
    {"H", get_H, nullptr},
    {"mT", get_mT, nullptr},
    {"mH", get_mH, nullptr},
    {"real", get_real, set_real},
    {"imag", get_imag, set_imag},
};
constexpr size_t count = sizeof properties / sizeof *properties;

}  // namespace

PyGetSetDef tensor_properties[count + 1] = {};

// The tables of getters are filled before the type is made.
void fill_properties(PyGetSetDef* table, Property* properties, size_t n) {
  for (size_t i = 0; i < n; ++i) table[i] = {properties[i].name, get_property, set_property, nullptr, &properties[i]};
}
void fill_tensor_properties() { fill_properties(tensor_properties, properties, count); }

}  // namespace mt::py
