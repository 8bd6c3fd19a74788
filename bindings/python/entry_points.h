// Python's builtin functions and method descriptors have no closure, so each group gets an entry point of its own.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <array>

namespace mt::py {

struct OverloadGroup;

constexpr int max_groups = 2304;
// Hidden visibility: code of this library reads the table without going through the GOT.
[[gnu::visibility("hidden")]] extern OverloadGroup* groups[max_groups];
using Entry = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
extern const std::array<Entry, max_groups> entry_points;  // the I-th calls groups[I]
// Methods without arguments are few, and have a faster entry.
constexpr int max_without_arguments = 512;
[[gnu::visibility("hidden")]] extern OverloadGroup* groups_without_arguments[max_without_arguments];
extern const std::array<PyCFunction, max_without_arguments> entry_points_without_arguments;

// The function that they jump to. The group is its last argument, so that an entry point is one load and a jump.
PyObject* call_group(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names, OverloadGroup* group) noexcept;
PyObject* call_group_without_arguments(PyObject* self, OverloadGroup* group) noexcept;

}  // namespace mt::py
