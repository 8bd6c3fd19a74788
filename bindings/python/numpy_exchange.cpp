// Converts NumPy arrays to tensors by the array interface, and back by NumPy's C API. NumPy is imported only when a program needs
// it.
#include <string>
#include <vector>

#include "methods.h"
#include "operators.h"
#include "types.h"

namespace mt::py {
namespace {

struct Code {
  int32_t dtype;
  const char* text;  // without byte order
  int number;  // NPY_DOUBLE and so on
};
constexpr Code codes[] = {{MT_FLOAT64, "f8", 12},     {MT_FLOAT32, "f4", 11}, {MT_FLOAT16, "f2", 23}, {MT_COMPLEX64, "c8", 14},
                          {MT_COMPLEX128, "c16", 15}, {MT_INT64, "i8", 7},    {MT_INT32, "i4", 5},    {MT_INT16, "i2", 3},
                          {MT_INT8, "i1", 1},         {MT_UINT64, "u8", 8},   {MT_UINT32, "u4", 6},   {MT_UINT16, "u2", 4},
                          {MT_UINT8, "u1", 2},        {MT_BOOL, "b1", 0}};

// NumPy's C functions by their index in its table, which is part of its ABI and equal in versions 1 and 2.
struct Numpy {
  PyTypeObject* array;  // 2
  PyObject* (*make)(PyTypeObject*, int ndim, const Py_intptr_t* sizes, int type, const Py_intptr_t* strides, void* data, int itemsize,
                    int flags, PyObject*);  // 93, PyArray_New
  int (*set_base)(PyObject* array, PyObject* base);  // 282, PyArray_SetBaseObject: takes the reference
};
const Numpy& numpy() {
  static Numpy table{};
  if (table.array) return table;
  Ref module(PyImport_ImportModule("numpy._core._multiarray_umath"));
  if (!module) {
    PyErr_Clear();
    module = Ref(PyImport_ImportModule("numpy.core._multiarray_umath"));  // NumPy 1
  }
  Ref capsule(module ? PyObject_GetAttrString(module.get(), "_ARRAY_API") : nullptr);
  void** const api = capsule ? static_cast<void**>(PyCapsule_GetPointer(capsule.get(), nullptr)) : nullptr;
  const unsigned abi = api ? reinterpret_cast<unsigned (*)()>(api[0])() >> 24 : 0;
  if (abi != 1 && abi != 2) {
    PyErr_Clear();
    raise(PyExc_RuntimeError, "Numpy is not available");
  }
  table.make = reinterpret_cast<decltype(table.make)>(api[93]);
  table.set_base = reinterpret_cast<decltype(table.set_base)>(api[282]);
  table.array = static_cast<PyTypeObject*>(api[2]);
  return table;
}

PyObject* array_type() {
  static PyObject* cached = nullptr;
  if (cached) return cached;
  PyObject* numpy = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
  if (!numpy) return nullptr;
  cached = PyObject_GetAttrString(numpy, "ndarray");
  if (!cached) PyErr_Clear();
  return cached;
}

Ref item(PyObject* dict, const char* key) {
  PyObject* value = PyDict_GetItemString(dict, key);
  return Ref::borrow(value ? value : Py_None);
}

}  // namespace

bool is_numpy_array(PyObject* o) {
  PyObject* type = array_type();
  return type && PyObject_TypeCheck(o, reinterpret_cast<PyTypeObject*>(type));
}

Handle tensor_from_numpy(PyObject* array, bool warn_if_not_writable) {
  if (!is_numpy_array(array)) raise(PyExc_TypeError, "expected np.ndarray (got %s)", Py_TYPE(array)->tp_name);
  Ref interface = own(PyObject_GetAttrString(array, "__array_interface__"));
  Ref type = item(interface.get(), "typestr"), data = item(interface.get(), "data");
  Ref shape = item(interface.get(), "shape"), strides = item(interface.get(), "strides");
  std::string code = PyUnicode_AsUTF8(type.get());
  bool foreign_order = code[0] == '>';
  int32_t dtype = -1;
  for (auto& known : codes) {
    if (code.substr(1) == known.text) dtype = known.dtype;
  }
  if (dtype < 0) {
    Ref kind = own(PyObject_GetAttrString(array, "dtype")), scalar = own(PyObject_GetAttrString(kind.get(), "type"));
    raise(PyExc_TypeError,
          "can't convert np.ndarray of type %s. The only supported types are: float64, float32, float16, complex64, complex128, "
          "int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool.",
          reinterpret_cast<PyTypeObject*>(scalar.get())->tp_name);
  }
  std::vector<int64_t> sizes, steps;
  int64_t width = mt_dtype_size(dtype), expected = 1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape.get()); ++i) sizes.push_back(to_int64(PyTuple_GET_ITEM(shape.get(), i)));
  steps.resize(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    steps[i] = strides.get() == Py_None ? expected * width : to_int64(PyTuple_GET_ITEM(strides.get(), static_cast<Py_ssize_t>(i)));
    expected *= sizes[i];
    if (steps[i] < 0) {
      raise(PyExc_ValueError,
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently "
            "supported. (You can probably work around this by making a copy of your array  with array.copy().) ");
    }
    if (steps[i] % width) {
      raise(PyExc_ValueError,
            "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the memory.");
    }
    steps[i] /= width;
  }
  if (foreign_order) {
    raise(PyExc_ValueError,
          "given numpy array has byte order different from the native byte order. Conversion between byte orders is currently "
          "not supported.");
  }
  bool read_only = PyObject_IsTrue(PyTuple_GET_ITEM(data.get(), 1)) == 1;
  static bool given = false;
  if (read_only && warn_if_not_writable && is_due(given)) {
    warn(PyExc_UserWarning,
         "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing to this "
         "tensor will result in undefined behavior. You may want to copy the array to protect its data or make it writable before "
         "converting it to a tensor. This type of warning will be suppressed for the rest of this program.");
  }
  void* memory = PyLong_AsVoidPtr(PyTuple_GET_ITEM(data.get(), 0));
  Handle tensor;
  hold_foreign(array);
  mt_status* status = mt_tensor_from_data(memory, sizes.data(), steps.data(), static_cast<int64_t>(sizes.size()), dtype, {MT_CPU, -1},
                                          drop_foreign, array, tensor.out());
  if (status) drop_foreign(array);
  check(status);
  return tensor;
}

PyObject* to_numpy(PyObject* self, bool force) {
  Handle tensor = Handle::borrow(handle(self));
  mt_tensor_info info = info_of(self);
  if (is_without_memory(info)) raise(PyExc_RuntimeError, ".numpy() is not supported for tensor subclasses.");
  if (info.layout != MT_STRIDED) {
    raise(PyExc_TypeError, "can't convert %s layout tensor to numpy. Use Tensor.to_dense() first.", layout_name(info.layout));
  }
  if (force) {
    Handle detached;
    check(mt_tensor_alias(tensor.get(), 1, detached.out()));
    tensor = copy_values_to_plain_cpu_tensor(detached.get());
    info = info_of(tensor.get());
  }
  if (info.device.type != MT_CPU) {
    raise(PyExc_TypeError, "can't convert %s device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.",
          device_text(info.device).c_str());
  }
  if (info.flags & MT_TENSOR_REQUIRES_GRAD && !force && records_gradients()) {
    raise(PyExc_RuntimeError, "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.");
  }
  if (info.layout != MT_STRIDED) raise(PyExc_TypeError, "can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.");
  if (info.flags & MT_TENSOR_IS_CONJ) {
    raise(PyExc_RuntimeError, "Can't call numpy() on Tensor that has conjugate bit set. Use tensor.resolve_conj().numpy() instead.");
  }
  if (info.flags & MT_TENSOR_IS_NEG) {
    raise(PyExc_RuntimeError, "Can't call numpy() on Tensor that has negative bit set. Use tensor.resolve_neg().numpy() instead.");
  }
  const Code* code = nullptr;
  for (auto& known : codes) {
    if (known.dtype == info.dtype) code = &known;
  }
  if (!code) raise(PyExc_TypeError, "Got unsupported ScalarType %s", scalar_type_name(info.dtype));
  const Numpy& functions = numpy();
  if (!force) {
    Handle own_tensor;
    check(mt_tensor_alias(tensor.get(), 1, own_tensor.out()));
    tensor = std::move(own_tensor);
  }
  std::vector<Py_intptr_t> sizes(info.sizes, info.sizes + info.ndim), strides(info.strides, info.strides + info.ndim);
  const int width = static_cast<int>(mt_dtype_size(info.dtype));
  for (auto& stride : strides) stride *= width;
  void* data = nullptr;  // for zero elements NumPy allocates its own memory
  if (info.numel) check(mt_tensor_data(tensor.get(), &data));
  mt_storage* storage = nullptr;
  check(mt_tensor_storage(tensor.get(), &storage));
  mt_status* const fixed = mt_storage_fix_size(storage);  // the storage must not move: the array keeps its address
  mt_storage_release(storage);
  check(fixed);
  constexpr int aligned = 0x0100, writeable = 0x0400;
  Ref array = own(functions.make(functions.array, static_cast<int>(info.ndim), sizes.data(), code->number, strides.data(), data, width,
                                 aligned | writeable, nullptr));
  expect_zero(functions.set_base(array.get(), own(wrap(std::move(tensor))).release()));  // the array keeps the memory alive
  return array.release();
}

}  // namespace mt::py
