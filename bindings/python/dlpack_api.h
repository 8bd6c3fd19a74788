// DLPack: imports, and the C exchange API as a capsule.
#pragma once
#include "common.h"
#include "tensor.h"

namespace mt::py {

PyObject* dlpack_exchange_api(PyObject*, PyObject*);
// mt_tensor_from_dlpack as torch does it: the tensor shares memory that is read-only for its owner, and may write to it.
mt_status* import_dlpack(void* managed, bool versioned, Handle& out);

}  // namespace mt::py
