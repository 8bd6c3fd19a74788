// _C._autograd and the autograd switches: grad and inference mode, anomaly mode, saved-tensor hooks.

#include "documentation.h"
#include "node.h"
#include "operators.h"
#include "tensor.h"
#include "types.h"

namespace mt::py {
namespace {

template <int Mode>
PyObject* get_autograd_mode(PyObject*, PyObject*) {
  return guarded([] {
    int32_t on = 0;
    check(mt_mode_get(Mode, &on));
    return PyBool_FromLong(on);
  });
}
template <int Mode>
PyObject* set_autograd_mode(PyObject*, PyObject* value) {
  return guarded([&] {
    if (!PyBool_Check(value))
      raise(PyExc_TypeError, "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not %s", Py_TYPE(value)->tp_name);
    check(mt_mode_set(Mode, value == Py_True));
    return incref(Py_None);
  });
}
PyObject* set_anomaly(PyObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* names[] = {"enabled", "check_nan", nullptr};
    int on, check_nan = 1;
    expect(PyArg_ParseTupleAndKeywords(args, kwargs, "p|p", const_cast<char**>(names), &on, &check_nan));
    if (on) ensure_anomaly_hooks();
    check(mt_mode_set(MT_MODE_ANOMALY, on));
    check(mt_mode_set(MT_MODE_ANOMALY_CHECK_NAN, on && check_nan));
    return incref(Py_None);
  });
}

// ---- _InferenceMode ------------------------------------------------------------------------------------------------------------

struct InferenceObject {
  PyObject_HEAD int32_t wanted, old_inference, old_grad;
};
PyObject* inference_new(PyTypeObject* type, PyObject* args, PyObject*) {
  int wanted = 1;
  if (!PyArg_ParseTuple(args, "|p", &wanted)) return nullptr;
  auto* self = reinterpret_cast<InferenceObject*>(type->tp_alloc(type, 0));
  if (self) self->wanted = wanted;
  return reinterpret_cast<PyObject*>(self);
}
PyObject* inference_enter(PyObject* object, PyObject*) {
  return guarded([&] {
    auto* self = reinterpret_cast<InferenceObject*>(object);
    check(mt_mode_get(MT_MODE_INFERENCE, &self->old_inference));
    check(mt_mode_get(MT_MODE_GRAD, &self->old_grad));
    check(mt_mode_set(MT_MODE_INFERENCE, self->wanted));
    check(mt_mode_set(MT_MODE_GRAD, !self->wanted));
    return incref(object);
  });
}
PyObject* inference_exit(PyObject* object, PyObject*) {
  return guarded([&] {
    auto* self = reinterpret_cast<InferenceObject*>(object);
    check(mt_mode_set(MT_MODE_INFERENCE, self->old_inference));
    check(mt_mode_set(MT_MODE_GRAD, self->old_grad));
    return incref(Py_None);
  });
}
PyMethodDef inference_methods[] = {{"__enter__", inference_enter, METH_NOARGS, "Enters the context."},
                                   {"__exit__", inference_exit, METH_VARARGS, "Leaves the context."},
                                   {nullptr, nullptr, 0, nullptr}};
PyType_Slot inference_slots[] = {{Py_tp_doc, const_cast<char*>("Inference mode as a context: _InferenceMode(mode=True).")},
                                 {Py_tp_new, reinterpret_cast<void*>(inference_new)},
                                 {Py_tp_methods, inference_methods},
                                 {0, nullptr}};
PyType_Spec inference_spec = {"torch._C._InferenceMode", sizeof(InferenceObject), 0, Py_TPFLAGS_DEFAULT, inference_slots};

// ---- the running backward pass -------------------------------------------------------------------------------------------------------

PyObject* graph_task_id(PyObject*, PyObject*) { return PyLong_FromLongLong(mt_autograd_graph_task_id()); }
PyObject* will_execute(PyObject*, PyObject* node) {
  return guarded([&] {
    int32_t yes = 0;
    check(mt_autograd_will_execute(to_node(node), &yes));
    return PyBool_FromLong(yes);
  });
}
PyObject* current_node(PyObject*, PyObject*) {
  return guarded([] {
    mt_node* node = nullptr;
    check(mt_autograd_current_node(&node));
    return node_or_none(node);
  });
}
PyObject* increment_version(PyObject*, PyObject* tensors) {
  return guarded([&] {
    Ref all = own(PySequence_Tuple(tensors));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(all.get()); ++i) {
      PyObject* tensor = PyTuple_GET_ITEM(all.get(), i);
      if (!is_tensor(tensor)) raise(PyExc_TypeError, "increment_version expects each element of the iterable to be a tensor");
      check(mt_tensor_bump_version(handle(tensor)));
    }
    return incref(Py_None);
  });
}
PyObject* set_version_counters(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject *tensors, *versions;
    expect(PyArg_ParseTuple(args, "OO", &tensors, &versions));
    Ref all = own(PySequence_Tuple(tensors)), numbers = own(PySequence_Tuple(versions));
    if (PyTuple_GET_SIZE(all.get()) != PyTuple_GET_SIZE(numbers.get()))
      raise(PyExc_ValueError, "tensors and versions must have the same length");
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(all.get()); ++i) {
      check(mt_tensor_set_version(handle(PyTuple_GET_ITEM(all.get(), i)), to_int64(PyTuple_GET_ITEM(numbers.get(), i))));
    }
    return incref(Py_None);
  });
}
PyObject* enter_dual_level(PyObject*, PyObject*) {
  return guarded([] {
    int64_t level = 0;
    check(mt_dual_level_enter(&level));
    return PyLong_FromLongLong(level);
  });
}
PyObject* exit_dual_level(PyObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* names[] = {"level", nullptr};
    long long level = 0;
    expect(PyArg_ParseTupleAndKeywords(args, kwargs, "L", const_cast<char**>(names), &level));
    if (level < 0) raise(PyExc_RuntimeError, "Dual level must be a positive number.");
    check(mt_dual_level_exit(level));
    return incref(Py_None);
  });
}
PyObject* transforms_active(PyObject*, PyObject*) {
  return guarded([] { return PyBool_FromLong(in_function_transform()); });
}

// ---- saved-tensor hooks: the `user` pointer is a (pack, unpack) tuple ----------------------------------------------------------------

mt_status* pack_saved_tensor(void* user, mt_tensor* tensor, void** packed) {
  return callback([&] {
    Ref value = own(wrap_borrowed(tensor));
    Ref result = own(PyObject_CallOneArg(PyTuple_GET_ITEM(static_cast<PyObject*>(user), 0), value.get()));
    *packed = hold_foreign(result.get());
  });
}
mt_status* unpack_saved_tensor(void* user, void* packed, mt_tensor** out) {
  return callback([&] {
    Ref result = own(PyObject_CallOneArg(PyTuple_GET_ITEM(static_cast<PyObject*>(user), 1), static_cast<PyObject*>(packed)));
    if (!is_tensor(result.get())) {
      raise(PyExc_TypeError, "Output of saved tensor unpack_hook expected to be a Tensor but got result of type %s",
            Py_TYPE(result.get())->tp_name);
    }
    *out = Handle::borrow(handle(result.get())).release();
  });
}
void destroy_packed(void*, void* packed) { drop_foreign(packed); }
void incref_hooks(void* user) {
  Gil gil;
  hold_foreign(static_cast<PyObject*>(user));
}
const mt_saved_hooks saved_hooks = {sizeof(mt_saved_hooks), pack_saved_tensor, unpack_saved_tensor,
                                    destroy_packed,         incref_hooks,      drop_foreign};

PyObject* push_saved_tensor_hooks(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject *pack_hook, *unpack_hook;
    expect(PyArg_ParseTuple(args, "OO", &pack_hook, &unpack_hook));
    Ref both = own(PyTuple_Pack(2, pack_hook, unpack_hook));
    check(mt_saved_hooks_push(&saved_hooks, both.get()));
    return incref(Py_None);
  });
}
PyObject* pop_saved_tensor_hooks(PyObject*, PyObject*) {
  return guarded([] {
    check(mt_saved_hooks_pop());
    return incref(Py_None);
  });
}
PyObject* get_top_saved_tensor_hooks(PyObject*, PyObject*) {
  return guarded([] {
    void* user = nullptr;
    check(mt_saved_hooks_top_borrow(&user));
    return incref(user && is_foreign_object(user) ? static_cast<PyObject*>(user) : Py_None);
  });
}

std::string& get_disabled_message() {
  thread_local std::string text;
  return text;
}
thread_local bool hooks_disabled = false;
PyObject* disable_saved_tensor_hooks(PyObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* names[] = {"error_message", "fail_if_non_empty", nullptr};
    const char* message;
    int fail_if_non_empty = 1;
    expect(PyArg_ParseTupleAndKeywords(args, kwargs, "s|p", const_cast<char**>(names), &message, &fail_if_non_empty));
    check(mt_saved_hooks_disable(message, nullptr));
    get_disabled_message() = message;
    hooks_disabled = true;
    return incref(Py_None);
  });
}
PyObject* enable_saved_tensor_hooks(PyObject*, PyObject*) {
  return guarded([] {
    check(mt_saved_hooks_disable(nullptr, nullptr));
    hooks_disabled = false;
    return incref(Py_None);
  });
}
PyObject* are_saved_tensor_hooks_enabled(PyObject*, PyObject*) { return PyBool_FromLong(!hooks_disabled); }
PyObject* get_hooks_disabled_message(PyObject*, PyObject*) {
  return hooks_disabled ? PyUnicode_FromString(get_disabled_message().c_str()) : incref(Py_None);
}

// Switches that only this module reads.
template <int Which>
bool& module_flag() {
  static bool value = Which != 0;
  return value;
}
template <int Which>
PyObject* get_module_flag(PyObject*, PyObject*) {
  return PyBool_FromLong(module_flag<Which>());
}
template <int Which>
PyObject* set_module_flag(PyObject*, PyObject* value) {
  int truth = PyObject_IsTrue(value);
  if (truth < 0) return nullptr;
  module_flag<Which>() = truth;
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {{"is_grad_enabled", get_autograd_mode<MT_MODE_GRAD>, METH_NOARGS, nullptr},
                           {"_set_grad_enabled", set_autograd_mode<MT_MODE_GRAD>, METH_O, nullptr},
                           {"is_inference_mode_enabled", get_autograd_mode<MT_MODE_INFERENCE>, METH_NOARGS, nullptr},
                           {"is_anomaly_enabled", get_autograd_mode<MT_MODE_ANOMALY>, METH_NOARGS, nullptr},
                           {"is_anomaly_check_nan_enabled", get_autograd_mode<MT_MODE_ANOMALY_CHECK_NAN>, METH_NOARGS, nullptr},
                           {"set_anomaly_enabled", keywords(set_anomaly), METH_VARARGS | METH_KEYWORDS, nullptr},
                           {"_is_multithreading_enabled", get_autograd_mode<MT_MODE_MULTITHREADING>, METH_NOARGS, nullptr},
                           {"_set_multithreading_enabled", set_autograd_mode<MT_MODE_MULTITHREADING>, METH_O, nullptr},
                           {"_is_fwd_grad_enabled", get_autograd_mode<MT_MODE_FORWARD_GRAD>, METH_NOARGS, nullptr},
                           {"_set_fwd_grad_enabled", set_autograd_mode<MT_MODE_FORWARD_GRAD>, METH_O, nullptr},
                           {"_enter_dual_level", enter_dual_level, METH_NOARGS, nullptr},
                           {"_exit_dual_level", keywords(exit_dual_level), METH_VARARGS | METH_KEYWORDS, nullptr},
                           {"_is_view_replay_enabled", get_autograd_mode<MT_MODE_VIEW_REPLAY>, METH_NOARGS, nullptr},
                           {"_set_view_replay_enabled", set_autograd_mode<MT_MODE_VIEW_REPLAY>, METH_O, nullptr},
                           {"_is_grad_layout_enforcement_enabled", get_module_flag<1>, METH_NOARGS, nullptr},
                           {"_set_grad_layout_enforcement_enabled", set_module_flag<1>, METH_O, nullptr},
                           {"_set_warn_on_accumulate_grad_stream_mismatch", set_module_flag<2>, METH_O, nullptr},
                           {"_set_override_stale_capture_stream", set_module_flag<0>, METH_O, nullptr},
                           {"_current_graph_task_id", graph_task_id, METH_NOARGS, nullptr},
                           {"_will_engine_execute_node", will_execute, METH_O, nullptr},
                           {"_current_autograd_node", current_node, METH_NOARGS, nullptr},
                           {"_increment_version", increment_version, METH_O, nullptr},
                           {"_are_functorch_transforms_active", transforms_active, METH_NOARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};
PyMethodDef autograd_functions[] = {{"_push_saved_tensors_default_hooks", push_saved_tensor_hooks, METH_VARARGS, nullptr},
                                    {"_pop_saved_tensors_default_hooks", pop_saved_tensor_hooks, METH_NOARGS, nullptr},
                                    {"_top_saved_tensors_default_hooks", get_top_saved_tensor_hooks, METH_VARARGS, nullptr},
                                    {"_saved_tensors_hooks_disable", keywords(disable_saved_tensor_hooks), METH_VARARGS | METH_KEYWORDS,
                                     nullptr},
                                    {"_saved_tensors_hooks_enable", enable_saved_tensor_hooks, METH_NOARGS, nullptr},
                                    {"_saved_tensors_hooks_is_enabled", are_saved_tensor_hooks_enabled, METH_NOARGS, nullptr},
                                    {"_saved_tensors_hooks_get_disabled_error_message", get_hooks_disabled_message, METH_NOARGS, nullptr},
                                    {"_unsafe_set_version_counter", set_version_counters, METH_VARARGS, nullptr},
                                    {nullptr, nullptr, 0, nullptr}};

// Variable(...) makes a tensor; the class exists for isinstance.
PyObject* variable_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* names[] = {"data", "requires_grad", "volatile", nullptr};
    PyObject* data = nullptr;
    int requires_grad = 0, is_volatile = 0;
    expect(PyArg_ParseTupleAndKeywords(args, kwargs, "|Opp", const_cast<char**>(names), &data, &requires_grad, &is_volatile));
    if (is_volatile) warn(PyExc_UserWarning, "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.");
    Handle tensor;
    int64_t zero = 0;
    if (data && data != Py_None) {
      if (!is_tensor(data)) raise(PyExc_TypeError, "Variable data has to be a tensor, but got %s", Py_TYPE(data)->tp_name);
      check(mt_tensor_alias(handle(data), 1, tensor.out()));
    } else {
      check(mt_tensor_empty(&zero, 1, mt_default_dtype_get(), {MT_CPU, -1}, tensor.out()));
    }
    check(mt_tensor_set_requires_grad(tensor.get(), requires_grad));
    return wrap(std::move(tensor));
  });
}
PyType_Slot variable_slots[] = {{Py_tp_doc, const_cast<char*>("Makes tensors: Tensor's former name.")},
                                {Py_tp_new, reinterpret_cast<void*>(variable_new)},
                                {0, nullptr}};
PyType_Spec variable_spec = {"torch._C._LegacyVariableBase", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, variable_slots};

}  // namespace

const mt_saved_hooks& python_saved_hooks() { return saved_hooks; }

void init_autograd(PyObject* module) {
  add_documentation(functions, "torch");
  expect_zero(PyModule_AddFunctions(module, functions));
  init_saved_tensor(add_submodule("_autograd", autograd_functions));
  add_object(module, "_InferenceMode", reinterpret_cast<PyObject*>(make_type(&inference_spec)));
  add_object(module, "_LegacyVariableBase", reinterpret_cast<PyObject*>(make_type(&variable_spec)));
}

}  // namespace mt::py
