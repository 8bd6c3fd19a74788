// Storages in shared memory, as torch.multiprocessing passes them between processes.
#include "storage_shared.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>

#include "types.h"

namespace mt::py {
namespace {

// What a storage in shared memory was made from, by the storage itself; forgotten when the storage is.
struct Shared {
  int descriptor = -1;
  std::string name;  // of a file under /dev/shm
};
std::map<void*, Shared>& shared_storages() {
  static auto* all = new std::map<void*, Shared>;
  return *all;
}

std::string new_name() {
  static std::atomic<uint64_t> counter{0};
  return "/torch_" + std::to_string(getpid()) + "_" + std::to_string(counter++);
}

mt_storage* get(PyObject* self) { return reinterpret_cast<StorageObject*>(self)->storage; }
int64_t size_of(mt_storage* storage) {
  int64_t n = 0;
  check(mt_storage_nbytes(storage, &n));
  return n;
}

[[noreturn]] void raise_system(const char* what, const std::string& name) {
  raise(PyExc_RuntimeError, "%s <%s>: %s (%d)", what, name.c_str(), strerror(errno), errno);
}

// A file in shared memory of this many bytes; without a name it lives as long as its descriptors.
int open_shared(const std::string& name, int64_t size, bool create) {
  int descriptor = shm_open(name.c_str(), create ? O_RDWR | O_CREAT | O_EXCL : O_RDWR, 0600);
  if (descriptor < 0) {
    const int error = errno;
    raise(PyExc_RuntimeError, "unable to open shared memory object <%s> in read-write mode: %s (%d)", name.c_str(), strerror(error), error);
  }
  if (create && ftruncate(descriptor, size) != 0) {
    close(descriptor);
    shm_unlink(name.c_str());
    raise_system("unable to resize shared memory object", name);
  }
  return descriptor;
}

mt_storage* map(int descriptor, int64_t size) {
  mt_storage* storage = nullptr;
  mt_status* status = mt_storage_from_descriptor(descriptor, 0, size, /*shared=*/1, &storage);
  if (status) {
    close(descriptor);
    raise_status(status);
  }
  return storage;
}

// Moves a storage's bytes to shared memory and remembers what names it.
Shared& share(PyObject* self, bool by_name) {
  mt_device device;
  check(mt_storage_device(get(self), &device));
  if (device.type != MT_CPU) raise(PyExc_RuntimeError, "_share_%s_: only available on CPU", by_name ? "filename" : "fd");
  auto found = shared_storages().find(get(self));
  if (found != shared_storages().end()) return found->second;
  int64_t size = size_of(get(self));
  Shared shared;
  std::string name = new_name();
  shared.descriptor = open_shared(name, size, /*create=*/true);
  if (by_name) shared.name = name;
  else shm_unlink(name.c_str());
  mt_storage* mapped = map(shared.descriptor, size);
  void *from = nullptr, *to = nullptr;
  check(mt_storage_data(get(self), &from));
  check(mt_storage_data(mapped, &to));
  if (size) std::memcpy(to, from, static_cast<size_t>(size));
  mt_status* status = mt_storage_share_data(get(self), mapped);
  mt_storage_release(mapped);
  check(status);
  return shared_storages()[get(self)] = shared;
}

PyObject* share_fd(PyObject* self, PyObject*) {
  return guarded([&] {
    int descriptor = dup(share(self, false).descriptor);
    if (descriptor < 0) raise_system("unable to duplicate a descriptor of", "shared memory");
    return Py_BuildValue("(iL)", descriptor, static_cast<long long>(size_of(get(self))));
  });
}
PyObject* share_filename(PyObject* self, PyObject*) {
  return guarded([&] {
    Shared& shared = share(self, true);
    if (shared.name.empty()) raise(PyExc_RuntimeError, "this storage is shared by a file descriptor, which has no name");
    return Py_BuildValue("(yyL)", "", shared.name.c_str(), static_cast<long long>(size_of(get(self))));
  });
}
PyObject* adopt(PyObject* cls, const Shared& shared, int64_t size) {
  Ref self = own(make_storage(reinterpret_cast<PyTypeObject*>(cls), map(shared.descriptor, size)));
  shared_storages()[get(self.get())] = shared;
  return self.release();
}
PyObject* new_shared_fd(PyObject* cls, PyObject* args) {
  return guarded([&] {
    int descriptor;
    long long size;
    if (PyTuple_GET_SIZE(args) != 2) raise(PyExc_RuntimeError, "tuple of 2 items expected");
    PyObject *first = PyTuple_GET_ITEM(args, 0), *second = PyTuple_GET_ITEM(args, 1);
    if (!PyLong_Check(first) || !PyLong_Check(second)) {
      raise(
          PyExc_TypeError,
          "_new_shared in file descriptor mode received an invalid combination of arguments - got (%s, %s), but expected a file descriptor "
          "(int) and storage size (int)",
          Py_TYPE(first)->tp_name, Py_TYPE(second)->tp_name);
    }
    expect(PyArg_ParseTuple(args, "iL", &descriptor, &size));
    int own_descriptor = dup(descriptor);
    if (own_descriptor < 0) raise(PyExc_RuntimeError, "could not duplicate a shared memory file descriptor");
    return adopt(cls, {own_descriptor, ""}, size);
  });
}
PyObject* new_using_fd(PyObject* cls, PyObject* size) {
  return guarded([&] {
    std::string name = new_name();
    Shared shared{open_shared(name, to_int64(size), true), ""};
    shm_unlink(name.c_str());
    return adopt(cls, shared, to_int64(size));
  });
}
PyObject* new_using_filename(PyObject* cls, PyObject* size) {
  return guarded([&] {
    std::string name = new_name();
    return adopt(cls, {open_shared(name, to_int64(size), true), name}, to_int64(size));
  });
}
PyObject* new_shared_filename(PyObject* cls, PyObject* args) {
  return guarded([&] {
    PyObject *manager, *name;
    long long size;
    expect(PyArg_ParseTuple(args, "OOL", &manager, &name, &size));
    std::string text = PyBytes_Check(name) ? PyBytes_AsString(name) : PyUnicode_AsUTF8(name);
    return adopt(cls, {open_shared(text, size, false), text}, size);
  });
}
PyObject* is_shared(PyObject* self, PyObject*) { return PyBool_FromLong(shared_storages().contains(get(self))); }
PyObject* get_filename(PyObject* self, PyObject*) {
  auto found = shared_storages().find(get(self));
  if (found == shared_storages().end() || found->second.name.empty()) Py_RETURN_NONE;
  return PyUnicode_FromString(found->second.name.c_str());
}
PyObject* itself(PyObject* self, PyObject*) { return incref(self); }

// Weak pointers that travel as ints: to a small block that outlives the storage object.
struct WeakPointer {
  PyObject* reference;  // a weakref object
};
PyObject* weak_ref(PyObject* self, PyObject*) {
  return guarded([&] {
    auto* pointer = new WeakPointer{own(PyWeakref_NewRef(self, nullptr)).release()};
    return PyLong_FromVoidPtr(pointer);
  });
}
WeakPointer* pointer_of(PyObject* number, const char* function) {
  if (!PyLong_Check(number)) raise(PyExc_RuntimeError, "%s(): arg must be an 'int'", function);
  void* pointer = PyLong_AsVoidPtr(number);
  if (!pointer && PyErr_Occurred()) throw PythonError{};
  return static_cast<WeakPointer*>(pointer);
}
PyObject* new_with_weak(PyObject*, PyObject* number) {
  return guarded([&] {
    WeakPointer* pointer = pointer_of(number, "_new_with_weak_ptr");
    return incref(pointer ? PyWeakref_GetObject(pointer->reference) : Py_None);
  });
}
PyObject* free_weak(PyObject*, PyObject* number) {
  return guarded([&] {
    if (number == Py_None) return incref(Py_None);
    WeakPointer* pointer = pointer_of(number, "_free_weak_ref");
    if (!pointer) return incref(Py_None);
    Py_DECREF(pointer->reference);
    delete pointer;
    return incref(Py_None);
  });
}
PyObject* expired(PyObject*, PyObject* number) {
  return guarded([&] {
    WeakPointer* pointer = pointer_of(number, "_expired");
    return PyBool_FromLong(!pointer || PyWeakref_GetObject(pointer->reference) == Py_None);
  });
}

}  // namespace

bool is_shared_storage(mt_storage* storage) { return shared_storages().contains(storage); }

void forget_shared(mt_storage* storage) {
  auto found = shared_storages().find(storage);
  if (found == shared_storages().end()) return;
  close(found->second.descriptor);
  if (!found->second.name.empty()) shm_unlink(found->second.name.c_str());
  shared_storages().erase(found);
}

void append_shared_methods(std::vector<PyMethodDef>& methods) {
  const PyMethodDef more[] = {
      {"_share_fd_cpu_", share_fd, METH_NOARGS, nullptr},
      {"_share_filename_cpu_", share_filename, METH_NOARGS, nullptr},
      {"_new_shared_fd_cpu", new_shared_fd, METH_VARARGS | METH_CLASS, nullptr},
      {"_new_using_fd_cpu", new_using_fd, METH_O | METH_CLASS, nullptr},
      {"_new_using_filename_cpu", new_using_filename, METH_O | METH_CLASS, nullptr},
      {"_new_shared_filename_cpu", new_shared_filename, METH_VARARGS | METH_CLASS, nullptr},
      {"is_shared", is_shared, METH_NOARGS, "Whether the bytes are in shared memory."},
      {"_get_filename", get_filename, METH_NOARGS, nullptr},
      {"_shared_incref", itself, METH_NOARGS, nullptr},
      {"_shared_decref", itself, METH_NOARGS, nullptr},
      {"_weak_ref", weak_ref, METH_NOARGS, nullptr},
      {"_new_with_weak_ptr", new_with_weak, METH_O | METH_CLASS, nullptr},
      {"_free_weak_ref", free_weak, METH_O | METH_STATIC, nullptr},
      {"_expired", expired, METH_O | METH_STATIC, nullptr},
  };
  methods.insert(methods.end(), std::begin(more), std::end(more));
}

}  // namespace mt::py
