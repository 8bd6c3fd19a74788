// Shared by the objects of _C._processes: handles, calls without the GIL, times and keys.
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

// Frees a handle without the GIL: releasing it may wait for a thread of the library, and that thread may call Python.
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

// Runs a call without the GIL, and raises the exception of its status.
template <class F>
void unlocked(F&& call) {
  mt_status* status;
  {
    NoGil free;
    status = call();
  }
  check(status);
}

int64_t milliseconds_of(PyObject* delta);   // milliseconds of a timedelta; 0 for None
PyObject* delta_of(int64_t milliseconds);   // a new timedelta
const char* key_of(PyObject* o);            // borrowed from a str
// A type whose objects only functions of this module create; `properties` may be nullptr.
PyTypeObject* make_handle_type(const char* name, int size, destructor dealloc, PyMethodDef* methods, PyGetSetDef* properties);

// Creates the type of stores, and adds the functions that create stores.
void init_stores(PyObject* module);

}  // namespace mt::py
