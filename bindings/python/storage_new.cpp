// UntypedStorage(...) and UntypedStorage.from_buffer.
#include <cstring>
#include <memory>

#include "storage_shared.h"
#include "stream.h"
#include "tensor.h"
#include "types.h"

namespace mt::py {
namespace {

// A class's name without its module; a C type's name may include the module.
std::string simple_name(PyTypeObject* type) {
  const std::string name = type->tp_name;
  return name.substr(name.rfind('.') + 1);
}

[[noreturn]] void raise_no_match(const char* name, PyObject* args, PyObject* kwargs) {
  std::string got;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    got += (i ? ", " : "") + std::string(Py_TYPE(PyTuple_GET_ITEM(args, i))->tp_name);
  }
  PyObject *key, *value;
  Py_ssize_t at = 0;
  const bool only_named = got.empty();
  while (kwargs && PyDict_Next(kwargs, &at, &key, &value)) {
    got += (got.empty() ? "" : ", ") + std::string(PyUnicode_AsUTF8(key)) + "=" + Py_TYPE(value)->tp_name;
  }
  if (only_named && !got.empty()) got += ", ";
  raise(PyExc_TypeError,
        "%s() received an invalid combination of arguments - got (%s), but expected one of:\n"
        " * (*, int allocator = None, torch.device device = None)\n"
        " * (int size, *, int allocator = None, torch.device device = None)\n"
        " * (object sequence, *, int allocator = None, torch.device device = None)\n",
        name, got.c_str());
}

// The device on which the constructor may allocate.
mt_device device_for_storage(PyObject* device, const char* name) {
  if (!device || device == Py_None) return {MT_CPU, -1};
  mt_device where = to_device(device);
  if (where.type == MT_CUDA) raise(PyExc_AssertionError, "Torch not compiled with CUDA enabled");
  if (where.type != MT_CPU && where.type != MT_META && where.type != MT_NPU) {
    raise(PyExc_RuntimeError, "%s(): Storage device not recognized: %s", name, mt_device_type_name(where.type));
  }
  return where;
}

// The first argument, by position or by either of its names; other names are rejected.
PyObject* size_or_sequence(const char* name, PyObject* args, PyObject* kwargs, PyObject** device) {
  PyObject* first = PyTuple_GET_SIZE(args) ? PyTuple_GET_ITEM(args, 0) : nullptr;
  PyObject *key, *value;
  Py_ssize_t at = 0;
  bool matches = PyTuple_GET_SIZE(args) <= 1;
  while (kwargs && PyDict_Next(kwargs, &at, &key, &value)) {
    const bool is_first = PyUnicode_CompareWithASCIIString(key, "size") == 0 || PyUnicode_CompareWithASCIIString(key, "sequence") == 0;
    if (PyUnicode_CompareWithASCIIString(key, "device") == 0)
      *device = value;
    else if (is_first && !first)
      first = value;
    else if (PyUnicode_CompareWithASCIIString(key, "allocator") != 0 || value != Py_None)
      matches = false;
  }
  if (!matches) raise_no_match(name, args, kwargs);
  return first;
}

// The dtypes for which from_buffer supports byte orders.
bool supports_byte_order(int32_t dtype) {
  switch (dtype) {
    case MT_UINT16:
    case MT_UINT32:
    case MT_UINT64:
    case MT_COMPLEX32: return false;
    default: return true;
  }
}

// Whether elements in the named byte order must be swapped on this machine.
bool swaps_bytes(const char* order) {
  const bool native_is_little = std::endian::native == std::endian::little;
  if (!strcmp(order, "native")) return false;
  if (!strcmp(order, "big")) return native_is_little;
  if (!strcmp(order, "little")) return !native_is_little;
  raise(PyExc_ValueError, "invalid byte_order '%s' (expected 'big', 'little', or 'native')", order);
}

}  // namespace

void reverse_bytes(uint8_t* data, Py_ssize_t n, Py_ssize_t width) {
  for (Py_ssize_t i = 0; width > 1 && i + width <= n; i += width) {
    for (Py_ssize_t j = 0; j < width / 2; ++j) std::swap(data[i + j], data[i + width - 1 - j]);
  }
}

int64_t read_c_long(PyObject* o) {
  const long long value = PyLong_AsLongLong(o);
  if (value == -1 && PyErr_Occurred()) throw PythonError{};
  return value;
}

PyObject* new_storage_object(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    if (type == storage_base_type) {
      raise(PyExc_RuntimeError, "Cannot directly construct StorageBase; subclass it and then construct that");
    }
    const std::string name = "torch." + simple_name(type);
    PyObject* device = nullptr;
    PyObject* first = size_or_sequence(name.c_str(), args, kwargs, &device);
    mt_device where = device_for_storage(device, name.c_str());
    mt_storage* storage = nullptr;
    if (!first || is_int(first)) {
      check(mt_storage_empty(first ? to_int64(first) : 0, where, &storage));
      return make_storage(type, storage);
    }
    if (!PySequence_Check(first) || is_tensor(first)) {
      raise(PyExc_RuntimeError, "%s(): Expected a sequence type, but got %s", name.c_str(), Py_TYPE(first)->tp_name);
    }
    Ref items = own(PySequence_Fast(first, "expected a sequence"));
    Py_ssize_t n = PySequence_Fast_GET_SIZE(items.get());
    check(mt_storage_empty(n, {MT_CPU, -1}, &storage));
    Ref self = own(make_storage(type, storage));
    void* data = nullptr;
    check(mt_storage_data(storage, &data));
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(items.get(), i);
      if (!PyLong_Check(item) && !is_int(item)) {
        raise(PyExc_RuntimeError,
              "%s(): tried to construct a storage from a sequence (%s), but one of the items was of type %s instead of int", name.c_str(),
              Py_TYPE(first)->tp_name, Py_TYPE(item)->tp_name);
      }
      static_cast<uint8_t*>(data)[i] = static_cast<uint8_t>(PyLong_Check(item) ? read_c_long(item) : to_int64(item));
    }
    if (where.type == MT_CPU) return self.release();
    mt_storage* there = nullptr;
    check(mt_storage_empty(n, where, &there));
    Ref moved = own(make_storage(type, there));
    if (where.type != MT_META) copy_on_device(there, storage, /*non_blocking=*/false);
    return moved.release();
  });
}

PyObject* storage_from_buffer(PyObject* cls, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* names[] = {"buffer", "byte_order", "count", "offset", "dtype", nullptr};
    PyObject *buffer, *dtype = nullptr;
    const char* order = nullptr;
    Py_ssize_t count = -1, offset = 0;
    expect(PyArg_ParseTupleAndKeywords(args, kwargs, "O|snnO", const_cast<char**>(names), &buffer, &order, &count, &offset, &dtype));
    if (!dtype || dtype == Py_None) raise(PyExc_RuntimeError, "argument 'dtype' cannot be None");
    if (!PyObject_TypeCheck(dtype, dtype_type)) raise(PyExc_RuntimeError, "argument 'dtype' must be of type torch.dtype");
    const int32_t code = dtype_code(dtype);
    const Py_ssize_t width = mt_dtype_size(code);
    if (code != MT_UINT8 && code != MT_INT8 && (width > 1 || code == MT_BOOL) && !order) {
      raise(PyExc_RuntimeError, "function missing required argument 'byte_order' (pos 2)");
    }
    const bool swap = width > 1 && swaps_bytes(order);
    if (!supports_byte_order(code)) raise(PyExc_RuntimeError, "Unknown type: %s", scalar_type_name(code));
    Py_buffer view;
    expect_zero(PyObject_GetBuffer(buffer, &view, PyBUF_SIMPLE));
    std::unique_ptr<Py_buffer, void (*)(Py_buffer*)> release(&view, PyBuffer_Release);
    if (offset < 0 || offset > view.len) {  // torch's text names the two in reverse
      raise(PyExc_ValueError, "offset must be non-negative and no greater than buffer length (%zd) , but got %zd", offset, view.len);
    }
    const Py_ssize_t left = view.len - offset;
    if (count >= 0 && count > left / width) {
      raise(PyExc_ValueError, "buffer has only %zd elements after offset %zd, but specified a size of %zd", left, offset, count);
    }
    if (count < 0 && left % width) {
      raise(PyExc_ValueError, "buffer size (%zd) must be a multiple of element size (%zd)", view.len, width);
    }
    const Py_ssize_t n = count < 0 ? left : count * width;
    mt_storage* storage = nullptr;
    check(mt_storage_empty(n, {MT_CPU, -1}, &storage));
    Ref self = own(make_storage(reinterpret_cast<PyTypeObject*>(cls), storage));
    void* data = nullptr;
    check(mt_storage_data(storage, &data));
    auto* bytes = static_cast<uint8_t*>(data);
    if (n) std::memcpy(bytes, static_cast<char*>(view.buf) + offset, static_cast<size_t>(n));
    for (Py_ssize_t i = 0; code == MT_BOOL && i < n; ++i) bytes[i] = bytes[i] != 0;
    if (swap) {
      reverse_bytes(bytes, n, is_complex(code) ? width / 2 : width);
    }
    return self.release();
  });
}

}  // namespace mt::py
