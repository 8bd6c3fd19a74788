// Enumerations that Python code compares with: attention back ends, states of __torch_function__; quantization schemes.
#include <vector>

#include "operators.h"
#include "tensor.h"
#include "torch_function.h"
#include "types.h"

namespace mt::py {
namespace {

struct Member {
  const char* name;
  int value;
};
constexpr Member sdp_backends[] = {{"ERROR", -1},          {"MATH", 0},        {"FLASH_ATTENTION", 1}, {"EFFICIENT_ATTENTION", 2},
                                   {"CUDNN_ATTENTION", 3}, {"OVERRIDEABLE", 4}};
constexpr Member function_states[] = {{"ENABLED", 0}, {"SUBCLASSES_DISABLED", 1}, {"ALL_DISABLED", 2}};
template <size_t N>
PyObject* add_enum(PyObject* module, const char* attribute, const char* name, const char* doc, const Member (&members)[N]) {
  Ref enums = own(PyImport_ImportModule("enum"));
  Ref values = own(PyDict_New());
  for (auto& member : members) {
    Ref value = own(PyLong_FromLong(member.value));
    expect_zero(PyDict_SetItemString(values.get(), member.name, value.get()));
  }
  Ref base = own(PyObject_GetAttrString(enums.get(), "Enum"));
  Ref args = own(Py_BuildValue("(sO)", name, values.get())), kwargs = own(Py_BuildValue("{s:s}", "module", "torch._C"));
  Ref type = own(PyObject_Call(base.get(), args.get(), kwargs.get()));
  Ref text = own(PyUnicode_FromString(doc));
  expect_zero(PyObject_SetAttrString(type.get(), "__doc__", text.get()));
  add_object(module, attribute, type.get());
  return type.release();
}

PyObject* state_type;
PyObject* get_torch_function_state(PyObject*, PyObject*) {
  auto& s = function_state();
  return PyObject_CallFunction(state_type, "i", s.all_disabled ? 2 : s.subclasses_disabled ? 1 : 0);
}
PyObject* set_torch_function_state(PyObject*, PyObject* value) {
  return guarded([&] {
    Ref number = own(PyObject_GetAttrString(value, "value"));
    long state_value = PyLong_AsLong(number.get());
    function_state().subclasses_disabled = state_value >= 1;
    function_state().all_disabled = state_value == 2;
    return incref(Py_None);
  });
}

std::vector<int64_t>& attention_priority_order() {
  static std::vector<int64_t> order = {1, 2, 0, 3, 4};  // flash, efficient, math, cudnn, overrideable
  return order;
}
PyObject* get_attention_priority(PyObject*, PyObject*) {
  return guarded([] {
    Ref list = own(PyList_New(0));
    for (int64_t backend : attention_priority_order()) {
      Ref number = own(PyLong_FromLongLong(backend));
      expect_zero(PyList_Append(list.get(), number.get()));
    }
    return list.release();
  });
}
PyObject* set_attention_priority(PyObject*, PyObject* order) {
  return guarded([&] {
    Ref items = own(PySequence_Tuple(order));
    std::vector<int64_t> given;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) given.push_back(to_int64(PyTuple_GET_ITEM(items.get(), i)));
    attention_priority_order() = std::move(given);
    return incref(Py_None);
  });
}

PyObject* set_conj_neg_flags(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject *tensor, *metadata;
    expect(PyArg_ParseTuple(args, "OO!", &tensor, &PyDict_Type, &metadata));
    if (!is_tensor(tensor)) raise(PyExc_TypeError, "expected a Tensor");
    uint32_t flags = info_of(tensor).flags;
    for (auto [name, flag, op] : {std::tuple{"conj", MT_TENSOR_IS_CONJ, "_conj"}, std::tuple{"neg", MT_TENSOR_IS_NEG, "_neg_view"}}) {
      PyObject* wanted = PyDict_GetItemString(metadata, name);
      if (!wanted || PyObject_IsTrue(wanted) != 1 || flags & flag) continue;
      mt_value value[1] = {tensor_value(handle(tensor))};
      Handle view = call_for_tensor(find_op(op, ""), value, 1);
      check(mt_tensor_set_data(handle(tensor), view.get()));
    }
    return incref(Py_None);
  });
}

// Returns a device as DLPack's pair (device type, index).
PyObject* to_dl_device(PyObject*, PyObject* device) {
  return guarded([&] {
    mt_device d = to_device(device);
    int kind = d.type == MT_CPU ? kDLCPU : d.type == MT_CUDA ? kDLCUDA : d.type == MT_NPU ? kDLExtDev : 0;
    if (!kind) raise(PyExc_ValueError, "Cannot pack tensors on %s", device_text(d).c_str());
    return Py_BuildValue("(ii)", kind, d.index < 0 ? 0 : d.index);
  });
}

PyMethodDef functions[] = {{"_get_torch_function_state", get_torch_function_state, METH_NOARGS, nullptr},
                           {"_set_torch_function_state", set_torch_function_state, METH_O, nullptr},
                           {"_get_sdp_priority_order", get_attention_priority, METH_NOARGS, nullptr},
                           {"_set_sdp_priority_order", set_attention_priority, METH_O, nullptr},
                           {"_set_tensor_metadata", set_conj_neg_flags, METH_VARARGS, nullptr},
                           {"_torchDeviceToDLDevice", to_dl_device, METH_O, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_enums(PyObject* module) {
  expect_zero(PyModule_AddFunctions(module, functions));
  state_type = add_enum(module, "_TorchFunctionState", "_TorchFunctionState", "Whether overrides are asked.", function_states);
  Py_DECREF(add_enum(module, "_SDPBackend", "SDPBackend", "Kernels of attention, by which sdpa_kernel chooses.", sdp_backends));
}

}  // namespace mt::py
