// The part of StorageBase that other processes see: file descriptors, shared memory files, weak pointers.
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

}  // namespace mt::py
