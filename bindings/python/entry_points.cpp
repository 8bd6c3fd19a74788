// The entry points of operators. Compiled without unwind tables, which would triple their size: they jump, so they never are on a call
// stack.
#include "entry_points.h"

#include <utility>

namespace mt::py {
namespace {

template <int I>
PyObject* entry(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return call_group(self, values, n, names, groups[I]);
}
template <int I>
PyObject* entry_without_arguments(PyObject* self, PyObject*) {
  return call_group_without_arguments(self, groups_without_arguments[I]);
}

template <int... I>
constexpr std::array<Entry, sizeof...(I)> make_entries(std::integer_sequence<int, I...>) {
  return {entry<I>...};
}
template <int... I>
constexpr std::array<PyCFunction, sizeof...(I)> make_entries_without_arguments(std::integer_sequence<int, I...>) {
  return {entry_without_arguments<I>...};
}

}  // namespace

constexpr std::array<Entry, max_groups> entry_points = make_entries(std::make_integer_sequence<int, max_groups>());
constexpr std::array<PyCFunction, max_without_arguments> entry_points_without_arguments = make_entries_without_arguments(
    std::make_integer_sequence<int, max_without_arguments>());

}  // namespace mt::py
