// StorageBase: a block of bytes; torch.UntypedStorage derives from it in Python.
#include <cstring>
#include <deque>

#include "storage_shared.h"
#include "stream.h"
#include "tensor.h"
#include "types.h"

namespace mt::py {

PyTypeObject* storage_base_type = nullptr;

namespace {

mt_storage* storage_of_object(PyObject* self) {
  mt_storage* storage = reinterpret_cast<StorageObject*>(self)->storage;
  if (!storage) raise(PyExc_RuntimeError, "this storage object holds no storage: its constructor was not run");
  return storage;
}

// Called when a storage handle that owned its Python object was freed.
void on_handle_freed(void* object) {
  auto* self = reinterpret_cast<StorageObject*>(object);
  forget_shared(std::exchange(self->storage, nullptr));
  self->owned_by_handle = false;
  drop_foreign(object);
}
const mt_binding_vtable binding_vtable = {sizeof(mt_binding_vtable), on_handle_freed};

PyTypeObject* storage_class() {
  static PyObject* cls = import_from_root("storage", "UntypedStorage").release();
  return reinterpret_cast<PyTypeObject*>(cls);
}

PyObject* make_storage_object(PyTypeObject* type, mt_storage* owned) {
  auto* self = reinterpret_cast<StorageObject*>(type->tp_alloc(type, 0));
  if (!self) {
    mt_storage_release(owned);
    throw PythonError{};
  }
  self->storage = owned;
  check(mt_storage_binding_set(owned, state.binding_id, self, &binding_vtable));
  return reinterpret_cast<PyObject*>(self);
}

// A storage that tensors still use keeps its attributes, weak references and shared memory.
bool try_resurrect(StorageObject* self) {
  int64_t owners = 0;
  if (!self->storage || self->owned_by_handle) return false;
  if (!(self->dict && PyDict_GET_SIZE(self->dict)) && !self->weakrefs && !is_shared_storage(self->storage)) return false;
  if (mt_status* status = mt_storage_use_count(self->storage, &owners)) mt_status_release(status);
  if (owners < 2) return false;
  Py_SET_REFCNT(reinterpret_cast<PyObject*>(self), 0);
  hold_foreign(reinterpret_cast<PyObject*>(self));
  self->owned_by_handle = true;
  if (mt_status* status = mt_storage_binding_own(self->storage, state.binding_id, 1)) mt_status_release(status);
  mt_storage_release(self->storage);
  return true;
}

void dealloc(PyObject* object) {
  auto* self = reinterpret_cast<StorageObject*>(object);
  if (try_resurrect(self)) return;
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  Py_CLEAR(self->dict);
  if (mt_storage* storage = std::exchange(self->storage, nullptr)) {
    if (mt_status* status = mt_storage_binding_set(storage, state.binding_id, nullptr, nullptr)) mt_status_release(status);
    if (!self->owned_by_handle) {
      forget_shared(storage);
      mt_storage_release(storage);
    }
  }
  type->tp_free(object);
  Py_DECREF(type);
}
int traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(reinterpret_cast<StorageObject*>(object)->dict);
  return 0;
}

Py_ssize_t length(PyObject* self) {
  int64_t n = -1;
  guarded_int([&] {
    check(mt_storage_nbytes(storage_of_object(self), &n));
    return 0;
  });
  return n;
}

void check_step(Py_ssize_t step) {
  if (step != 1) raise(PyExc_RuntimeError, "Trying to slice with a step of %zd, but only a step of 1 is supported", step);
}

// A meta storage has no bytes.
bool has_bytes(PyObject* self) {
  mt_device device;
  check(mt_storage_device(storage_of_object(self), &device));
  return device.type != MT_META;
}

uint8_t* bytes_of(PyObject* self) {
  void* data = nullptr;
  check(mt_storage_data(storage_of_object(self), &data));
  return static_cast<uint8_t*>(data);
}

void release_parent(void* parent) { mt_storage_release(static_cast<mt_storage*>(parent)); }

PyObject* subscript(PyObject* self, PyObject* index) {
  return guarded([&]() -> PyObject* {
    Py_ssize_t size = length(self);
    if (is_int(index) && !has_bytes(self)) raise(PyExc_NotImplementedError, "Not available for 'meta' device type");
    if (is_int(index)) {
      int64_t at = to_int64(index);
      if (at < 0) at += size;
      if (at < 0 || at >= size)
        raise(PyExc_IndexError, "index %lld out of range for storage of size %zd", static_cast<long long>(at), size);
      return PyLong_FromLong(is_on_device(storage_of_object(self)) ? device_byte(storage_of_object(self), at) : bytes_of(self)[at]);
    }
    if (!PySlice_Check(index)) {
      raise(PyExc_TypeError, "can't index a torch.UntypedStorage with %s", Py_TYPE(index)->tp_name);
    }
    Py_ssize_t start, stop, step, n;
    expect_zero(PySlice_GetIndicesEx(index, size, &start, &stop, &step, &n));
    check_step(step);
    mt_device device;
    check(mt_storage_device(storage_of_object(self), &device));
    mt_storage* slice = nullptr;
    mt_storage_retain(storage_of_object(self));
    mt_status* status = mt_storage_from_data(bytes_of(self) + start, n, device, release_parent, storage_of_object(self), &slice);
    if (status) {
      mt_storage_release(storage_of_object(self));
      raise_status(status);
    }
    return make_storage_object(Py_TYPE(self), slice);
  });
}

int assign_bytes(PyObject* self, PyObject* index, PyObject* value) {
  return guarded_int([&] {
    if (!value) raise(PyExc_TypeError, "storage items cannot be deleted");
    if (!PyLong_Check(value)) {
      raise(PyExc_RuntimeError, "can only set storage content with a int types, but got %s instead", Py_TYPE(value)->tp_name);
    }
    auto byte = static_cast<uint8_t>(read_c_long(value));
    const bool writes = has_bytes(self);
    if (is_int(index)) {
      int64_t at = to_int64(index);
      if (at < 0) at += length(self);
      if (at < 0 || at >= length(self)) raise(PyExc_RuntimeError, "out of bounds");
      if (is_on_device(storage_of_object(self)))
        fill_on_device(storage_of_object(self), at, 1, byte);
      else if (writes)
        bytes_of(self)[at] = byte;
      return 0;
    }
    if (!PySlice_Check(index)) raise(PyExc_RuntimeError, "can't index a torch.UntypedStorage with %s", Py_TYPE(index)->tp_name);
    Py_ssize_t start, stop, step, n;
    expect_zero(PySlice_GetIndicesEx(index, length(self), &start, &stop, &step, &n));
    check_step(step);
    if (is_on_device(storage_of_object(self)))
      fill_on_device(storage_of_object(self), start, n, byte);
    else if (n && writes)
      std::memset(bytes_of(self) + start, byte, static_cast<size_t>(n));
    return 0;
  });
}

PyObject* nbytes(PyObject* self, PyObject*) {
  Py_ssize_t n = length(self);
  return n < 0 ? nullptr : PyLong_FromSsize_t(n);
}
PyObject* element_size(PyObject*, PyObject*) { return PyLong_FromLong(1); }
PyObject* data_ptr(PyObject* self, PyObject*) {
  return guarded([&] { return PyLong_FromVoidPtr(bytes_of(self)); });
}
PyObject* is_resizable(PyObject* self, PyObject*) {
  return guarded([&] {
    int32_t can = 0;
    check(mt_storage_is_resizable(storage_of_object(self), &can));
    return PyBool_FromLong(can);
  });
}
PyObject* resize(PyObject* self, PyObject* size) {
  return guarded([&] {
    if (!is_int(size)) raise(PyExc_RuntimeError, "resize_ expects an int, but got %s", Py_TYPE(size)->tp_name);
    check(mt_storage_resize(storage_of_object(self), to_int64(size)));
    return incref(self);
  });
}
PyObject* fill_storage(PyObject* self, PyObject* value) {
  return guarded([&] {
    if (!PyLong_Check(value)) raise(PyExc_RuntimeError, "fill_ expects int, but got %s", Py_TYPE(value)->tp_name);
    const auto byte = static_cast<uint8_t>(read_c_long(value));
    if (is_on_device(storage_of_object(self)))
      fill_on_device(storage_of_object(self), 0, length(self), byte);
    else if (length(self) && has_bytes(self))
      std::memset(bytes_of(self), byte, static_cast<size_t>(length(self)));
    return incref(self);
  });
}
PyObject* copy_storage(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* names[] = {"src", "non_blocking", nullptr};
    PyObject *source = nullptr, *non_blocking = nullptr;
    expect(PyArg_ParseTupleAndKeywords(args, kwargs, "|OO", const_cast<char**>(names), &source, &non_blocking));
    if (!source) raise(PyExc_TypeError, "copy_() missing 1 required positional arguments: \"src\"");
    if (!can_be_storage(source)) {
      raise(PyExc_TypeError, "copy_(): argument 'src' (position 1) must be torch.Storage, not %s", Py_TYPE(source)->tp_name);
    }
    mt_storage* from = to_storage(source);
    int64_t n = 0;
    check(mt_storage_nbytes(from, &n));
    if (n != length(self)) {
      raise(PyExc_RuntimeError, "size does not match, self was %zd bytes but src was %lld bytes", length(self), static_cast<long long>(n));
    }
    mt_device here, there;
    check(mt_storage_device(storage_of_object(self), &here));
    check(mt_storage_device(from, &there));
    if (here.type == MT_META) return incref(self);  // nothing to write
    if (there.type == MT_META) raise(PyExc_NotImplementedError, "Cannot copy out of meta tensor; no data!");
    if (is_on_device(storage_of_object(self)) || is_on_device(from)) {
      copy_on_device(storage_of_object(self), from, non_blocking && PyObject_IsTrue(non_blocking) == 1);
      return incref(self);
    }
    void* data = nullptr;
    check(mt_storage_data(from, &data));
    if (n) std::memmove(bytes_of(self), data, static_cast<size_t>(n));
    return incref(self);
  });
}
PyObject* new_storage(PyObject* self, PyObject*) {
  return guarded([&] {
    mt_device device;
    check(mt_storage_device(storage_of_object(self), &device));
    mt_storage* storage = nullptr;
    check(mt_storage_empty(0, device, &storage));
    return make_storage_object(Py_TYPE(self), storage);
  });
}
PyObject* byteswap(PyObject* self, PyObject* size) {
  return guarded([&] {
    auto width = static_cast<Py_ssize_t>(to_int64(size));
    if (is_on_device(storage_of_object(self))) raise(PyExc_NotImplementedError, "byteswap: the storage is not in the host's memory");
    if (width > 1 && length(self) % width) raise(PyExc_RuntimeError, "the length of data is not a multiple of %zd", width);
    if (!has_bytes(self)) return incref(Py_None);
    reverse_bytes(bytes_of(self), length(self), width);
    return incref(Py_None);
  });
}

PyObject* from_file(PyObject* cls, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* names[] = {"filename", "shared", "nbytes", nullptr};
    const char* path;
    int shared = 0;
    Py_ssize_t n = 0;
    expect(PyArg_ParseTupleAndKeywords(args, kwargs, "s|pn", const_cast<char**>(names), &path, &shared, &n));
    mt_storage* storage = nullptr;
    check(mt_storage_from_file(path, shared, n, &storage));
    return make_storage_object(reinterpret_cast<PyTypeObject*>(cls), storage);
  });
}

PyObject* get_device(PyObject* self, void*) {
  return guarded([&] {
    mt_device device;
    check(mt_storage_device(storage_of_object(self), &device));
    return device_object(device);
  });
}
PyObject* get_cdata(PyObject* self, void*) {
  return guarded([&] { return PyLong_FromVoidPtr(storage_of_object(self)); });
}

PyMethodDef methods[] = {
    {"nbytes", nbytes, METH_NOARGS, "The size in bytes."},
    {"element_size", element_size, METH_NOARGS, "Always 1: elements are bytes."},
    {"data_ptr", data_ptr, METH_NOARGS, "The address of the first byte, an int."},
    {"resizable", is_resizable, METH_NOARGS, "Whether the size may change."},
    {"resize_", resize, METH_O, "Changes the size in bytes; returns the storage."},
    {"fill_", fill_storage, METH_O, "Sets every byte; returns the storage."},
    {"copy_", keywords(copy_storage), METH_VARARGS | METH_KEYWORDS, "Copies the bytes of a storage of the same size; returns this one."},
    {"new", new_storage, METH_NOARGS, "An empty storage on the same device."},
    {"_byteswap", byteswap, METH_O, "Reverses the bytes of each element of so many bytes."},
    {"from_buffer", keywords(storage_from_buffer), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "A storage with a copy of a buffer; byte_order: 'native', 'little', 'big'."},
    {"from_file", keywords(from_file), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "A storage over a file's first nbytes; shared=True writes changes to the file."},
};
PyGetSetDef getset[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                        {"device", get_device, nullptr, "The device that has the bytes.", nullptr},
                        {"_cdata", get_cdata, nullptr, "The C handle's address.", nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET, offsetof(StorageObject, weakrefs), READONLY, nullptr},
                         {"__dictoffset__", T_PYSSIZET, offsetof(StorageObject, dict), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

}  // namespace

mt_storage* to_storage(PyObject* o, int32_t* dtype) {
  if (dtype) *dtype = -1;
  if (is_storage(o)) return storage_of_object(o);
  Ref untyped = own(PyObject_GetAttrString(o, "_untyped_storage"));
  if (dtype) {
    Ref kind = own(PyObject_GetAttrString(o, "dtype"));
    *dtype = dtype_code(kind.get());
  }
  return storage_of_object(untyped.get());  // the typed storage keeps a reference
}
void check_storage_dtype(PyObject* o, int32_t dtype, const char* name) {
  int32_t typed = -1;
  to_storage(o, &typed);
  if (typed < 0 || typed == dtype) return;
  raise(PyExc_RuntimeError, "Expected a Storage of type %s or an UntypedStorage, but got type %s for argument 1 'storage'", name,
        scalar_type_name(typed));
}
bool can_be_storage(PyObject* o) {
  if (is_storage(o)) return true;
  PyObject* attribute = PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(o)), "_new_wrapped_storage");
  if (!attribute) PyErr_Clear();
  Py_XDECREF(attribute);
  return attribute != nullptr;
}

PyObject* make_storage(PyTypeObject* type, mt_storage* owned) { return make_storage_object(type, owned); }

PyObject* storage_object(mt_storage* owned) {
  void* object = nullptr;
  int32_t handle_owns = 0;
  check(mt_storage_binding_get(owned, state.binding_id, &object, &handle_owns));
  if (!object) return make_storage_object(storage_class(), owned);
  auto* self = static_cast<PyObject*>(object);
  if (!handle_owns) {
    mt_storage_release(owned);
    return incref(self);
  }
  check(mt_storage_binding_own(owned, state.binding_id, 0));
  reinterpret_cast<StorageObject*>(self)->owned_by_handle = false;
  Py_INCREF(self);
  drop_foreign(self);
  return self;
}

// _name_storage_class(cls, name): error texts contain the class's module too, as for a type made in C.
PyObject* name_storage_class(PyObject*, PyObject* args) {
  return guarded([&] {
    PyTypeObject* cls;
    const char* name;
    expect(PyArg_ParseTuple(args, "O!s", &PyType_Type, &cls, &name));
    static std::deque<std::string> names;  // the type keeps a pointer
    cls->tp_name = names.emplace_back(name).c_str();
    return incref(Py_None);
  });
}
PyMethodDef storage_functions[] = {{"_name_storage_class", name_storage_class, METH_VARARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

void init_storage(PyObject* module) {
  expect_zero(PyModule_AddFunctions(module, storage_functions));
  static std::vector<PyMethodDef> all(std::begin(methods), std::end(methods));
  append_shared_methods(all);
  all.push_back({nullptr, nullptr, 0, nullptr});
  PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>("A block of bytes on a device.")},
                         {Py_tp_new, reinterpret_cast<void*>(new_storage_object)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                         {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                         {Py_tp_methods, all.data()},
                         {Py_tp_getset, getset},
                         {Py_tp_members, members},
                         {Py_mp_length, reinterpret_cast<void*>(length)},
                         {Py_mp_subscript, reinterpret_cast<void*>(subscript)},
                         {Py_mp_ass_subscript, reinterpret_cast<void*>(assign_bytes)},
                         {0, nullptr}};
  PyType_Spec spec = {"torch._C.StorageBase", sizeof(StorageObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                      slots};
  storage_base_type = make_type(&spec);
  add_object(module, "StorageBase", reinterpret_cast<PyObject*>(storage_base_type));
}

}  // namespace mt::py
