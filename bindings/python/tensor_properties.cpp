// Properties that describe a tensor: shape, dtype, device, and views made by operators.
#include "operators.h"
#include "tensor.h"
#include "torch_function.h"
#include "types.h"

namespace mt::py {
namespace {

PyObject* dtype(PyObject* self) { return dtype_object(info_of(self).dtype); }
PyObject* device(PyObject* self) {
  PyObject* answer = answer_of_dispatch(self, asked_device, "device");
  return answer ? answer : device_object(info_of(self).device);
}
PyObject* layout(PyObject* self) {
  PyObject* answer = answer_of_dispatch(self, asked_layout, "layout");
  return answer ? answer : layout_object(layout_of(self, info_of(self)));
}
PyObject* ndim(PyObject* self) {
  PyObject* answer = answer_of_dispatch(self, asked_sizes, "dim");
  return answer ? answer : PyLong_FromLongLong(info_of(self).ndim);
}
PyObject* itemsize(PyObject* self) { return PyLong_FromLong(mt_dtype_size(info_of(self).dtype)); }
PyObject* nbytes(PyObject* self) {
  mt_tensor_info info = info_of(self);
  Ref asked_for_layout(answer_of_dispatch(self, asked_layout, "layout"));
  if (asked_for_layout.get() ? layout_code(asked_for_layout.get()) == MT_SPARSE_COO : layout_of(self, info) != MT_STRIDED)
    raise(PyExc_RuntimeError,
          "nbytes is not defined for sparse tensors.  If you want the size of the constituent tensors, add the nbytes of the indices and "
          "values.  If you want the size of the  equivalent dense tensor, multiply numel() by element_size()");
  PyObject* answer = answer_of_dispatch(self, asked_sizes, "nbytes");
  return answer ? answer : PyLong_FromLongLong(info.numel * mt_dtype_size(info.dtype));
}
template <int32_t Type>
PyObject* is_on_device_type(PyObject* self) {
  Ref answer(answer_of_dispatch(self, asked_device, "device"));
  return PyBool_FromLong((answer.get() ? to_device(answer.get()) : info_of(self).device).type == Type);
}
PyObject* is_sparse(PyObject* self) { return PyBool_FromLong(layout_of(self, info_of(self)) == MT_SPARSE_COO); }
PyObject* is_sparse_csr(PyObject* self) {
  Ref answer(answer_of_dispatch(self, asked_layout, "layout"));
  return PyBool_FromLong((answer.get() ? layout_code(answer.get()) : layout_of(self, info_of(self))) == MT_SPARSE_CSR);
}
PyObject* return_false(PyObject* self) {
  handle(self);
  return incref(Py_False);
}
PyObject* cdata(PyObject* self) { return PyLong_FromVoidPtr(handle(self)); }
PyObject* python_dispatch(PyObject* self) { return PyBool_FromLong((info_of(self).keys >> MT_KEY_PYTHON) & 1); }
PyObject* is_volatile(PyObject* self) {
  warn(PyExc_UserWarning, "volatile was removed (Variable.volatile is always False)");
  return return_false(self);
}
PyObject* return_none(PyObject*) { return incref(Py_None); }

PyObject* compute_by_operator(PyObject* self, const char* name) {
  mt_value args[1] = {tensor_value(handle(self))};
  return wrap(call_for_tensor(find_op(name, ""), args, 1));
}
PyObject* get_T(PyObject* self) { return compute_by_operator(self, "numpy_T"); }
PyObject* get_H(PyObject* self) { return compute_by_operator(self, "matrix_H"); }
PyObject* get_mT(PyObject* self) { return compute_by_operator(self, "mT"); }
PyObject* get_mH(PyObject* self) { return compute_by_operator(self, "mH"); }
PyObject* get_real(PyObject* self) { return compute_by_operator(self, "real"); }
PyObject* get_imag(PyObject* self) { return compute_by_operator(self, "imag"); }

void assign_to_part(PyObject* part, PyObject* value) {
  Ref target(part);
  if (!value) raise(PyExc_RuntimeError, "can't delete the real or imaginary part of a tensor");
  expect_zero(set_item(target.get(), Py_Ellipsis, value));
}
void set_real(PyObject* self, PyObject* value) { assign_to_part(get_real(self), value); }
void set_imag(PyObject* self, PyObject* value) { assign_to_part(get_imag(self), value); }

Property properties[] = {
    {"shape", shape_of, nullptr, "The sizes, a torch.Size."},
    {"dtype", dtype, nullptr, "The elements' type."},
    {"device", device, nullptr, "The device that has the elements."},
    {"layout", layout, nullptr, "How elements are stored."},
    {"ndim", ndim, nullptr, "The number of dimensions."},
    {"itemsize", itemsize, nullptr, "Bytes of one element."},
    {"nbytes", nbytes, nullptr, "Bytes of all elements: numel() * itemsize."},
    {"is_cpu", is_on_device_type<MT_CPU>, nullptr, "Whether the device is the CPU."},
    {"is_cuda", is_on_device_type<MT_CUDA>, nullptr, "Whether the device is a CUDA one."},
    {"is_npu", is_on_device_type<MT_NPU>, nullptr, "Whether the device is an NPU."},
    {"is_meta", is_on_device_type<MT_META>, nullptr, "Whether the tensor has a shape but no data."},
    {"is_xpu", return_false, nullptr, "Always False."},
    {"is_xla", return_false, nullptr, "Always False."},
    {"is_ipu", return_false, nullptr, "Always False."},
    {"is_mps", return_false, nullptr, "Always False."},
    {"is_mtia", return_false, nullptr, "Always False."},
    {"is_maia", return_false, nullptr, "Always False."},
    {"is_vulkan", return_false, nullptr, "Always False."},
    {"is_sparse", is_sparse, nullptr, "Whether the layout is torch.sparse_coo."},
    {"is_sparse_csr", is_sparse_csr, nullptr, "Whether the layout is torch.sparse_csr."},
    {"is_mkldnn", return_false, nullptr, "Always False."},
    {"is_quantized", return_false, nullptr, "Always False."},
    {"is_nested", return_false, nullptr, "Always False."},
    {"_has_symbolic_sizes_strides", return_false, nullptr, "Always False."},
    {"volatile", is_volatile, nullptr, "Always False, with a warning."},
    {"name", return_none, nullptr, "Always None."},
    {"_cdata", cdata, nullptr, "The C handle's address."},
    {"_python_dispatch", python_dispatch, nullptr, "Whether calls reach a __torch_dispatch__."},
    {"T", get_T, nullptr, "A view with dimensions reversed; deprecated but for two."},
    {"H", get_H, nullptr, "The conjugate transpose of a matrix, a view."},
    {"mT", get_mT, nullptr, "A view with the last two dimensions swapped."},
    {"mH", get_mH, nullptr, "The conjugate of mT, a view."},
    {"real", get_real, set_real, "A view of the real parts; a real tensor itself."},
    {"imag", get_imag, set_imag, "A view of the imaginary parts; raises for real dtypes."},
};
constexpr size_t count = sizeof properties / sizeof *properties;

}  // namespace

PyGetSetDef tensor_properties[count + 1] = {};

// Fills the tables of getters before the type is made.
void fill_getset_table(PyGetSetDef* table, Property* properties, size_t n) {
  for (size_t i = 0; i < n; ++i) table[i] = {properties[i].name, get_property, set_property, properties[i].doc, &properties[i]};
}
void fill_tensor_properties() { fill_getset_table(tensor_properties, properties, count); }

}  // namespace mt::py
