// What the objects of _C._processes share: handles, calls without the interpreter's lock, times and keys.
#pragma once

#include "mindtorch/distributed.h"
#include "operators.h"
#include "types.h"

namespace mt::py {

struct StoreObject {
  PyObject_HEAD mt_store* store;
};
extern PyTypeObject* store_type;
inline mt_store* store_of(PyObject* o) { return reinterpret_cast<StoreObject*>(o)->store; }

template <class T, class H>
PyObject* wrap_handle(PyTypeObject* type, H* owned, H* T::* member) {
  auto* object = own(type->tp_alloc(type, 0)).release();
  reinterpret_cast<T*>(object)->*member = owned;
  return object;
}
inline PyObject* wrap_store(mt_store* owned) { return wrap_handle(store_type, owned, &StoreObject::store); }

// What a library's thread may wait for: it may call Python.
template <class F>
void dealloc_with(PyObject* self, F&& release) {
  PyTypeObject* type = Py_TYPE(self);
  {
    NoGil free;
    release();
  }
  type->tp_free(self);
  Py_DECREF(type);
}

// Calls without the interpreter's lock, and raises what it gives.
template <class F>
void unlocked(F&& call) {
  mt_status* status;
  {
    NoGil free;
    status = call();
  }
  check(status);
}

int64_t milliseconds_of(PyObject* delta);   // of a timedelta; 0 of None
PyObject* delta_of(int64_t milliseconds);   // a new timedelta
const char* key_of(PyObject* o);            // borrowed from a str
// A type that only functions here make objects of; `properties` may be nullptr.
PyTypeObject* make_handle_type(const char* name, int size, destructor dealloc, PyMethodDef* methods, PyGetSetDef* properties);

// Makes the type of stores, and adds the functions that make stores.
void init_stores(PyObject* module);

}  // namespace mt::py
