// What the files of StorageBase share: making one, and what other processes see of it.
#pragma once
#include <vector>

#include "common.h"

namespace mt::py {

void append_shared_methods(std::vector<PyMethodDef>& methods);
// A storage dies: closes what it shared.
void forget_shared(mt_storage* storage);
bool is_shared_storage(mt_storage* storage);
// A storage object of a class around a storage that has none; takes it over.
PyObject* make_storage(PyTypeObject* type, mt_storage* owned);
// The constructor, and from_buffer.
PyObject* new_storage_object(PyTypeObject* type, PyObject* args, PyObject* kwargs);
PyObject* storage_from_buffer(PyObject* cls, PyObject* args, PyObject* kwargs);
// Reverses the bytes of each `width`.
void reverse_bytes(uint8_t* data, Py_ssize_t n, Py_ssize_t width);
// An int as 64 bits, bool included.
int64_t long_value(PyObject* o);

}  // namespace mt::py
