// Checks during a backward pass: what hooks return, and anomaly mode's record of where nodes were made.
#include <cstring>
#include <string>

#include "node.h"
#include "tensor.h"
#include "tensor_types.h"
#include "types.h"

namespace mt::py {
namespace {

std::string format_sizes(const mt_tensor_info& info) {
  if (layout_family(info) == MT_SPARSE_CSR) return "SparseCsr" + legacy_type_name(info.dtype, info.device);
  return legacy_type_name(info.dtype, info.device, info.layout);
}

bool have_same_sizes(const mt_tensor_info& a, const mt_tensor_info& b) {
  return a.ndim == b.ndim && std::memcmp(a.sizes, b.sizes, static_cast<size_t>(a.ndim) * sizeof(int64_t)) == 0;
}

constexpr char traceback_key[] = "traceback_", parent_key[] = "parent_";

// Anomaly mode must not break the program that it observes: its own errors are reported and dropped.
template <class F>
void run_and_drop_errors(F&& body) {
  Gil gil;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  try {
    body();
  } catch (const PythonError&) {
    PyErr_WriteUnraisable(nullptr);
  }
  PyErr_Restore(type, value, traceback);
}

void store_creation_traceback(void*, mt_node* node, mt_node* parent) {
  run_and_drop_errors([&] {
    Ref metadata = own(node_metadata(node));
    Ref module = own(PyImport_ImportModule("traceback"));
    Ref stack = own(PyObject_CallMethod(module.get(), "format_stack", nullptr));
    expect_zero(PyDict_SetItemString(metadata.get(), traceback_key, stack.get()));
    if (!parent) return;
    mt_node_retain(parent);
    Ref object = own(node_object(parent));
    expect_zero(PyDict_SetItemString(metadata.get(), parent_key, object.get()));
  });
}

std::string join_lines(PyObject* lines) {
  Ref nothing = own(PyUnicode_FromString(""));
  Ref text = own(PyUnicode_Join(nothing.get(), lines));
  return PyUnicode_AsUTF8(text.get());
}

std::string name_of(mt_node* node) {
  const char* name = nullptr;
  check(mt_node_name_borrow(node, &name));
  return name;
}

void issue_user_warning(const std::string& text) { expect_zero(PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1)); }

void warn_of_failed_node(void*, mt_node* node) {
  run_and_drop_errors([&] {
    Ref metadata = own(node_metadata(node));
    PyObject* stack = PyDict_GetItemString(metadata.get(), traceback_key);
    if (!stack) {
      issue_user_warning("Error detected in " + name_of(node) +
                         ". No forward pass information available. Enable detect anomaly during forward pass for more information.");
      return;
    }
    issue_user_warning("Error detected in " + name_of(node) + ". Traceback of forward call that caused the error:\n" + join_lines(stack));
    while (PyObject* parent = PyDict_GetItemString(metadata.get(), parent_key)) {
      mt_node* induced_by = to_node(parent);
      if (!induced_by) return;
      metadata = own(node_metadata(induced_by));
      stack = PyDict_GetItemString(metadata.get(), traceback_key);
      if (!stack) {
        issue_user_warning("\n\nPrevious calculation was induced by " + name_of(induced_by) +
                           ". No forward pass information available. Enable detect anomaly during forward pass for more information.");
        return;
      }
      issue_user_warning("\n\nPrevious calculation was induced by " + name_of(induced_by) +
                         ". Traceback of forward call that induced the previous calculation:\n" + join_lines(stack));
    }
  });
}

}  // namespace

std::string hook_name(PyObject* hook) {
  Ref name(PyObject_GetAttrString(hook, "__name__"));
  if (!name || !PyUnicode_Check(name.get())) {
    PyErr_Clear();
    return "<unknown>";
  }
  return PyUnicode_AsUTF8(name.get());
}

void check_hook_result(PyObject* hook, PyObject* before, PyObject* after) {
  if (after == Py_None && before == Py_None) return;
  if (before == Py_None) raise(PyExc_RuntimeError, "can't replace a None gradient with a non-None value");
  if (after == Py_None) return;
  if (!is_tensor(after)) raise(PyExc_TypeError, "expected Variable, but hook returned '%s'", Py_TYPE(after)->tp_name);
  mt_tensor_info was = info_of(before), got = info_of(after);
  if (was.dtype != got.dtype || was.device.type != got.device.type || layout_family(was) != layout_family(got)) {
    raise_text(PyExc_RuntimeError, "hook '" + hook_name(hook) + "' has changed the type of value (was " + format_sizes(was) + " got " +
                                       format_sizes(got) + ")");
  }
  if (!have_same_sizes(was, got)) raise_text(PyExc_RuntimeError, "hook '" + hook_name(hook) + "' has changed the size of value");
}

void ensure_anomaly_hooks() {
  static bool set = false;
  if (set) return;
  mt_anomaly_hooks hooks{sizeof(mt_anomaly_hooks), store_creation_traceback, warn_of_failed_node};
  check(mt_anomaly_hooks_set(&hooks, nullptr));
  set = true;
}

}  // namespace mt::py
