// Storages in shared memory, which torch.multiprocessing passes between processes.
#include "storage_shared.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <random>

#include "types.h"

namespace mt::py {
namespace {

// A file that is shared by name starts with this header; the storage's bytes follow.
struct Header {
  std::atomic<int64_t> references;  // of storages in any process, and of handles in transit
};
constexpr int64_t header_bytes = 64;  // keeps the storage's alignment
static_assert(sizeof(Header) <= header_bytes && std::atomic<int64_t>::is_always_lock_free);

// How a storage is shared, by storage; removed when the storage is freed.
struct Shared {
  int descriptor = -1;       // shared by a descriptor, which stays open
  std::string name;          // shared by name, with the descriptor closed
  Header* header = nullptr;  // if shared by name
  pid_t process = getpid();  // a forked child has no reference of its own
  bool is_named() const { return header != nullptr; }
};
std::map<void*, Shared>& shared_storages() {
  static auto* all = new std::map<void*, Shared>;
  return *all;
}

mt_storage* storage_of_object(PyObject* self) { return reinterpret_cast<StorageObject*>(self)->storage; }
int64_t size_of(mt_storage* storage) {
  int64_t n = 0;
  check(mt_storage_nbytes(storage, &n));
  return n;
}

[[noreturn]] void raise_system(const std::string& what, int error) {
  raise(PyExc_RuntimeError, "%s: %s (%d)", what.c_str(), strerror(error), error);
}
[[noreturn]] void raise_unopened(const std::string& name, int error) {
  raise_system("unable to open shared memory object <" + name + "> in read-write mode", error);
}

// Owns a file descriptor: closes it unless ownership was moved out.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

Descriptor open_shared(const std::string& name) {
  Descriptor file(shm_open(name.c_str(), O_RDWR, 0600));
  if (file.get() < 0) raise_unopened(name, errno);
  return file;
}

// Creates a file in shared memory and reserves its pages: otherwise a full /dev/shm would cause a SIGBUS on writing.
std::pair<std::string, Descriptor> create_shared(int64_t size) {
  static std::random_device* const random = new std::random_device;
  std::string name;
  int number = -1;
  for (int attempt = 0; attempt < 100 && number < 0; ++attempt) {
    name = "/torch_" + std::to_string(getpid()) + "_" + std::to_string((*random)());
    number = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
    if (number < 0 && errno != EEXIST) break;
  }
  Descriptor file(number);
  if (number < 0) raise_unopened(name, errno);
  int error = 0;
  do error = size ? posix_fallocate(number, 0, size) : 0;
  while (error == EINTR);
  if (error) {
    shm_unlink(name.c_str());
    raise_system("unable to allocate shared memory(shm) for file <" + name + ">", error);
  }
  return {name, std::move(file)};
}

// Passes a name to the process that removes the file if all other processes die.
void register_name_with_watcher(const std::string& name) {
  static PyObject* const watch = import_from_root("multiprocessing._names", "watch_over").release();
  own(PyObject_CallFunction(watch, "s", name.c_str()));
}

// Maps an open file; `shared` then records how to undo it.
mt_storage* map_shared_file(const Descriptor& file, int64_t size, Shared& shared) {
  const int64_t offset = shared.name.empty() ? 0 : header_bytes;
  if (offset) {
    void* base = mmap(nullptr, header_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (base == MAP_FAILED) raise_system("unable to map shared memory object <" + shared.name + ">", errno);
    shared.header = static_cast<Header*>(base);
  }
  mt_storage* storage = nullptr;
  if (mt_status* status = mt_storage_from_descriptor(file.get(), offset, size, /*shared=*/1, &storage)) {
    if (shared.header) munmap(shared.header, header_bytes);
    raise_status(status);
  }
  return storage;
}

// Makes a storage in new shared memory.
std::pair<Shared, mt_storage*> make_shared(int64_t size, bool by_name) {
  if (size < 0) raise(PyExc_RuntimeError, "a storage cannot have %lld bytes", static_cast<long long>(size));
  auto [name, file] = create_shared(size + (by_name ? header_bytes : 0));
  Shared shared;
  if (by_name)
    shared.name = name;
  else
    shm_unlink(name.c_str());
  try {
    if (by_name) register_name_with_watcher(name);
    mt_storage* storage = map_shared_file(file, size, shared);
    if (by_name)
      shared.header->references = 1;
    else
      shared.descriptor = file.release();
    return {shared, storage};
  } catch (...) {
    if (by_name) shm_unlink(name.c_str());
    throw;
  }
}

void drop_name_reference(const Shared& shared) {
  if (shared.header->references.fetch_sub(1) == 1) shm_unlink(shared.name.c_str());
}
void release(const Shared& shared) {
  if (shared.descriptor >= 0) close(shared.descriptor);
  if (!shared.is_named()) return;
  if (shared.process == getpid()) drop_name_reference(shared);
  munmap(shared.header, header_bytes);
}

// Moves a storage's bytes to shared memory and records how it is shared.
Shared& move_to_shared_memory(PyObject* self, bool by_name) {
  mt_device device;
  check(mt_storage_device(storage_of_object(self), &device));
  if (device.type != MT_CPU) raise(PyExc_RuntimeError, "_share_%s_: only available on CPU", by_name ? "filename" : "fd");
  auto found = shared_storages().find(storage_of_object(self));
  if (found != shared_storages().end() && found->second.is_named() == by_name) return found->second;
  const int64_t size = size_of(storage_of_object(self));
  auto [shared, mapped] = make_shared(size, by_name);
  void *from = nullptr, *to = nullptr;
  check(mt_storage_data(storage_of_object(self), &from));
  check(mt_storage_data(mapped, &to));
  if (size) std::memcpy(to, from, static_cast<size_t>(size));
  mt_status* status = mt_storage_share_data(storage_of_object(self), mapped);
  mt_storage_release(mapped);
  if (status) {
    release(shared);
    raise_status(status);
  }
  forget_shared(storage_of_object(self));  // undo the other way of sharing
  return shared_storages()[storage_of_object(self)] = shared;
}

// The descriptor belongs to the storage, and stays open as long as the storage exists.
PyObject* share_fd(PyObject* self, PyObject*) {
  return guarded([&] {
    const int descriptor = move_to_shared_memory(self, false).descriptor;
    return Py_BuildValue("(iL)", descriptor, static_cast<long long>(size_of(storage_of_object(self))));
  });
}
PyObject* share_filename(PyObject* self, PyObject*) {
  return guarded([&] {
    const Shared& shared = move_to_shared_memory(self, true);
    return Py_BuildValue("(yyL)", "", shared.name.c_str(), static_cast<long long>(size_of(storage_of_object(self))));
  });
}
PyObject* make_storage_over_shared(PyObject* cls, const Shared& shared, mt_storage* storage) {
  PyObject* self = make_storage(reinterpret_cast<PyTypeObject*>(cls), storage);
  shared_storages()[storage] = shared;
  return self;
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
    Descriptor file(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
    if (file.get() < 0) raise(PyExc_RuntimeError, "could not duplicate a shared memory file descriptor");
    Shared shared;
    mt_storage* storage = map_shared_file(file, size, shared);
    shared.descriptor = file.release();
    return make_storage_over_shared(cls, shared, storage);
  });
}
PyObject* new_using_fd(PyObject* cls, PyObject* size) {
  return guarded([&] {
    auto [shared, storage] = make_shared(to_int64(size), /*by_name=*/false);
    return make_storage_over_shared(cls, shared, storage);
  });
}
PyObject* new_using_filename(PyObject* cls, PyObject* size) {
  return guarded([&] {
    auto [shared, storage] = make_shared(to_int64(size), /*by_name=*/true);
    return make_storage_over_shared(cls, shared, storage);
  });
}
PyObject* new_shared_filename(PyObject* cls, PyObject* args) {
  return guarded([&] {
    PyObject *manager, *name;
    long long size;
    expect(PyArg_ParseTuple(args, "OOL", &manager, &name, &size));
    const char* text = PyBytes_Check(name) ? PyBytes_AS_STRING(name) : PyUnicode_AsUTF8(name);
    expect(text != nullptr);
    Shared shared;
    shared.name = text;
    mt_storage* storage = map_shared_file(open_shared(shared.name), size, shared);
    ++shared.header->references;
    return make_storage_over_shared(cls, shared, storage);
  });
}
struct MappedFile {
  explicit MappedFile(const mt_storage* storage) { check(mt_storage_mapped_file(storage, &is_mapped, &shared_path)); }
  int32_t is_mapped = 0;
  const char* shared_path = nullptr;
};
// A file that was mapped by its path counts as shared, also if writes stay in this process.
PyObject* is_shared(PyObject* self, PyObject*) {
  return guarded([&] {
    return PyBool_FromLong(MappedFile(storage_of_object(self)).is_mapped || shared_storages().contains(storage_of_object(self)));
  });
}
PyObject* get_filename(PyObject* self, PyObject*) {
  return guarded([&] {
    const char* path = MappedFile(storage_of_object(self)).shared_path;
    auto found = shared_storages().find(storage_of_object(self));
    if (!path && found != shared_storages().end() && !found->second.name.empty()) path = found->second.name.c_str();
    return path ? PyUnicode_DecodeFSDefault(path) : incref(Py_None);
  });
}
// A handle in transit holds a reference, which the receiver releases: the sender may have exited by then.
PyObject* shared_incref(PyObject* self, PyObject*) {
  auto found = shared_storages().find(storage_of_object(self));
  if (found != shared_storages().end() && found->second.is_named()) ++found->second.header->references;
  return incref(self);
}
PyObject* shared_decref(PyObject* self, PyObject*) {
  auto found = shared_storages().find(storage_of_object(self));
  if (found != shared_storages().end() && found->second.is_named()) drop_name_reference(found->second);
  return incref(self);
}

// Weak pointers passed as ints: they point to a small block that outlives the storage object.
struct WeakPointer {
  PyObject* reference;  // a weakref object
};
PyObject* make_weak_pointer(PyObject* self, PyObject*) {
  return guarded([&] {
    auto* pointer = new WeakPointer{own(PyWeakref_NewRef(self, nullptr)).release()};
    return PyLong_FromVoidPtr(pointer);
  });
}
WeakPointer* weak_pointer_of(PyObject* number, const char* function) {
  if (!PyLong_Check(number)) raise(PyExc_RuntimeError, "%s(): arg must be an 'int'", function);
  void* pointer = PyLong_AsVoidPtr(number);
  if (!pointer && PyErr_Occurred()) throw PythonError{};
  return static_cast<WeakPointer*>(pointer);
}
// The referenced object or None; calls the weakref, which works in every version of Python.
Ref storage_of_weak_pointer(const WeakPointer* pointer) {
  return pointer ? own(PyObject_CallNoArgs(pointer->reference)) : Ref::borrow(Py_None);
}
PyObject* new_with_weak(PyObject*, PyObject* number) {
  return guarded([&] { return storage_of_weak_pointer(weak_pointer_of(number, "_new_with_weak_ptr")).release(); });
}
PyObject* free_weak_pointer(PyObject*, PyObject* number) {
  return guarded([&] {
    if (number == Py_None) return incref(Py_None);
    WeakPointer* pointer = weak_pointer_of(number, "_free_weak_ref");
    if (!pointer) return incref(Py_None);
    Py_DECREF(pointer->reference);
    delete pointer;
    return incref(Py_None);
  });
}
PyObject* is_expired(PyObject*, PyObject* number) {
  return guarded([&] { return PyBool_FromLong(storage_of_weak_pointer(weak_pointer_of(number, "_expired")).get() == Py_None); });
}

}  // namespace

bool is_shared_storage(mt_storage* storage) { return shared_storages().contains(storage); }

void forget_shared(mt_storage* storage) {
  auto found = shared_storages().find(storage);
  if (found == shared_storages().end()) return;
  release(found->second);
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
      {"_shared_incref", shared_incref, METH_NOARGS, nullptr},
      {"_shared_decref", shared_decref, METH_NOARGS, nullptr},
      {"_weak_ref", make_weak_pointer, METH_NOARGS, nullptr},
      {"_new_with_weak_ptr", new_with_weak, METH_O | METH_CLASS, nullptr},
      {"_free_weak_ref", free_weak_pointer, METH_O | METH_STATIC, nullptr},
      {"_expired", is_expired, METH_O | METH_STATIC, nullptr},
  };
  methods.insert(methods.end(), std::begin(more), std::end(more));
}

}  // namespace mt::py
