// Provides DLPack's C exchange API as a capsule.
#pragma once
#include "common.h"

namespace mt::py {

PyObject* dlpack_exchange_api(PyObject*, PyObject*);

}  // namespace mt::py
