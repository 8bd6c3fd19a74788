// Shared by the files of StorageBase: making a storage, and sharing it with other processes.
#pragma once
#include <vector>

#include "common.h"

namespace mt::py {

void append_shared_methods(std::vector<PyMethodDef>& methods);
// Called when a storage is freed: closes what it shared.
void forget_shared(mt_storage* storage);
bool is_shared_storage(mt_storage* storage);
// Makes a storage object of a class for a storage that has none; takes ownership.
PyObject* make_storage(PyTypeObject* type, mt_storage* owned);
// The constructor, and from_buffer.
PyObject* new_storage_object(PyTypeObject* type, PyObject* args, PyObject* kwargs);
PyObject* storage_from_buffer(PyObject* cls, PyObject* args, PyObject* kwargs);
// Swaps the byte order of elements of `width` bytes, in place.
void reverse_bytes(uint8_t* data, Py_ssize_t n, Py_ssize_t width);
// Converts a Python int (or bool) to int64.
int64_t read_c_long(PyObject* o);

}  // namespace mt::py
