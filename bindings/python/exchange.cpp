// DLPack, swapping of tensors, the constants of the root namespace, and small services for torch._utils.

#include "dlpack_api.h"
#include "methods.h"
#include "operators.h"
#include "tensor.h"
#include "tensor_types.h"
#include "types.h"

namespace mt::py {
namespace {

constexpr const char* legacy_capsule = "dltensor";
constexpr const char* versioned_capsule = "dltensor_versioned";

void release_legacy(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, legacy_capsule)) return;  // renamed: the consumer took the tensor
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, legacy_capsule));
  if (managed && managed->deleter) managed->deleter(managed);
}
void release_versioned(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, versioned_capsule)) return;
  auto* managed = static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, versioned_capsule));
  if (managed && managed->deleter) managed->deleter(managed);
}

template <bool Versioned>
PyObject* to_dlpack(PyObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* names[] = {"tensor", "dl_device", "copy", nullptr};
    PyObject *tensor, *device = nullptr, *copy = nullptr;
    expect(PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO", const_cast<char**>(names), &tensor, &device, &copy));
    if (!is_tensor(tensor))
      raise(PyExc_TypeError, "_to_dlpack(): argument 'data' (position 1) must be Tensor, not %s", Py_TYPE(tensor)->tp_name);
    void* managed = nullptr;
    check(mt_tensor_to_dlpack(handle(tensor), Versioned, copy == Py_True, &managed));
    return PyCapsule_New(managed, Versioned ? versioned_capsule : legacy_capsule, Versioned ? release_versioned : release_legacy);
  });
}
PyObject* from_dlpack(PyObject*, PyObject* capsule) {
  return guarded([&] {
    bool versioned = PyCapsule_IsValid(capsule, versioned_capsule);
    const char* name = versioned ? versioned_capsule : legacy_capsule;
    if (!versioned && !PyCapsule_IsValid(capsule, legacy_capsule)) {
      raise(PyExc_RuntimeError,
            "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you might have "
            "already constructed a tensor from it once.");
    }
    void* managed = PyCapsule_GetPointer(capsule, name);
    expect(managed != nullptr);
    Handle tensor;
    check(import_dlpack(managed, versioned, tensor));
    expect_zero(PyCapsule_SetName(capsule, versioned ? "used_dltensor_versioned" : "used_dltensor"));
    return wrap(std::move(tensor));
  });
}

PyObject* swap_tensors(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject *a, *b;
    expect(PyArg_ParseTuple(args, "OO", &a, &b));
    if (!is_tensor(a) || !is_tensor(b)) raise(PyExc_TypeError, "_swap_tensor_impl expects two tensors");
    check(mt_tensor_swap(handle(a), handle(b)));
    return incref(Py_None);
  });
}

PyObject* get_conj_neg_flags(PyObject*, PyObject* tensor) {
  return guarded([&] {
    if (!is_tensor(tensor)) raise(PyExc_TypeError, "expected a Tensor");
    uint32_t flags = info_of(tensor).flags;
    Ref dict = own(PyDict_New());
    // New strings each time, as in torch: a pickle would store an interned one only once.
    auto note = [&](const char* name) {
      Ref key = own(PyUnicode_FromString(name));
      expect_zero(PyDict_SetItem(dict.get(), key.get(), Py_True));
    };
    if (flags & MT_TENSOR_IS_NEG) note("neg");
    if (flags & MT_TENSOR_IS_CONJ) note("conj");
    return dict.release();
  });
}

PyObject* flatten_dense(PyObject*, PyObject* const* given, Py_ssize_t n, PyObject* names) {
  return guarded([&]() -> PyObject* {
    static const Parser parser("flatten_dense_tensors", {"flatten_dense_tensors(Tensor[] tensors)"});
    Ref all = own(PySequence_Tuple(parser.parse({nullptr, given, n, names}).object(0)));
    std::vector<Handle> flat;
    std::vector<mt_tensor*> handles;
    int64_t minus_one = -1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(all.get()); ++i) {
      PyObject* tensor = PyTuple_GET_ITEM(all.get(), i);
      mt_value args[2] = {tensor_value(handle(tensor)), list_value(MT_TAG_INTS, &minus_one, 1)};
      flat.push_back(call_for_tensor(find_op("reshape", ""), args, 2));
      handles.push_back(flat.back().get());
    }
    mt_value args[2] = {list_value(MT_TAG_TENSORS, handles.data(), static_cast<int64_t>(handles.size())), int_value(0)};
    return wrap(call_for_tensor(find_op("cat", ""), args, 2));
  });
}
PyObject* unflatten_dense(PyObject*, PyObject* const* given, Py_ssize_t n, PyObject* names) {
  return guarded([&] {
    static const Parser parser("unflatten_dense_tensors", {"unflatten_dense_tensors(Tensor flat, Tensor[] tensors)"});
    auto parsed = parser.parse({nullptr, given, n, names});
    PyObject* flat = parsed.object(0);
    Ref all = own(PySequence_Tuple(parsed.object(1)));
    Ref result = own(PyTuple_New(PyTuple_GET_SIZE(all.get())));
    int64_t at = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(all.get()); ++i) {
      mt_tensor_info info = info_of(PyTuple_GET_ITEM(all.get(), i));
      mt_value narrow[4] = {tensor_value(handle(flat)), int_value(0), int_value(at), int_value(info.numel)};
      Handle part = call_for_tensor(find_op("narrow", ""), narrow, 4);
      mt_value args[2] = {tensor_value(part.get()), list_value(MT_TAG_INTS, info.sizes, info.ndim)};
      PyTuple_SET_ITEM(result.get(), i, wrap(call_for_tensor(find_op("view", ""), args, 2)));
      at += info.numel;
    }
    return result.release();
  });
}

// The package has registered its Tensor class by now, so this call only checks.
PyObject* check_tensor_class_registered(PyObject*, PyObject*) {
  return guarded([] {
    if (!state.tensor) raise(PyExc_RuntimeError, "the Tensor class must derive from _C.TensorBase");
    return incref(Py_None);
  });
}

// ---- what torch shows of copy-on-write storages -----------------------------------------------------------------------

mt_storage* storage_of(PyObject* tensor, const char* function) {
  if (!is_tensor(tensor)) {
    Ref text = own(PyObject_Repr(tensor));
    raise(PyExc_TypeError,
          "%s(): incompatible function arguments. The following argument types are supported:\n"
          "    1. (arg0: torch.Tensor) -> %s\n\nInvoked with: %s",
          function, strcmp(function, "_is_cow_tensor") ? "int" : "bool", PyUnicode_AsUTF8(text.get()));
  }
  mt_storage* storage = nullptr;
  check(mt_tensor_storage(handle(tensor), &storage));
  mt_storage_release(storage);  // the tensor holds another reference
  return storage;
}
PyObject* is_cow_tensor(PyObject*, PyObject* tensor) {
  return guarded([&] {
    int32_t is_lazy = 0;
    check(mt_storage_is_lazy_clone(storage_of(tensor, "_is_cow_tensor"), &is_lazy));
    return PyBool_FromLong(is_lazy);
  });
}
PyObject* storage_address(PyObject*, PyObject* tensor) {
  return guarded([&] { return PyLong_FromVoidPtr(storage_of(tensor, "_storage_address")); });
}
PyObject* data_address(PyObject*, PyObject* tensor) {
  return guarded([&] {
    storage_of(tensor, "_data_address");
    const void* data = nullptr;
    check(mt_tensor_const_data(handle(tensor), &data));
    return PyLong_FromVoidPtr(const_cast<void*>(data));
  });
}

PyObject* get_tracing_state(PyObject*, PyObject*) { Py_RETURN_NONE; }

constexpr int with_keywords = METH_VARARGS | METH_KEYWORDS;
PyMethodDef functions[] = {{"_to_dlpack", keywords(to_dlpack<false>), with_keywords, nullptr},
                           {"_to_dlpack_versioned", keywords(to_dlpack<true>), with_keywords, nullptr},
                           {"_from_dlpack", from_dlpack, METH_O, nullptr},
                           {"_dlpack_exchange_api", dlpack_exchange_api, METH_NOARGS, nullptr},
                           {"_swap_tensor_impl", swap_tensors, METH_VARARGS, nullptr},
                           {"_get_tensor_metadata", get_conj_neg_flags, METH_O, nullptr},
                           {"_is_cow_tensor", is_cow_tensor, METH_O, "Whether a write to the tensor will first copy its bytes."},
                           {"_storage_address", storage_address, METH_O, "The address of the tensor's storage object."},
                           {"_data_address", data_address, METH_O, "The address of the first byte, also of a lazy clone."},
                           {"_mt_init", check_tensor_class_registered, METH_O, nullptr},
                           {"_get_tracing_state", get_tracing_state, METH_NOARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};
PyMethodDef nn_functions[] = {{"flatten_dense_tensors", fast(flatten_dense), METH_FASTCALL | METH_KEYWORDS,
                               "All elements of the tensors, one after the other."},
                              {"unflatten_dense_tensors", fast(unflatten_dense), METH_FASTCALL | METH_KEYWORDS,
                               "Views of a flat tensor in the tensors' shapes."},
                              {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_exchange(PyObject* module) {
  expect_zero(PyModule_AddFunctions(module, functions));
  auto* dict = PyModule_GetDict(module);
  expect_zero(PyModule_AddFunctions(PyDict_GetItemString(dict, "_nn"), nn_functions));
  Ref constants = own(PyDict_New());
  for (const char* part : {"_mt_dtypes", "_mt_layouts", "_mt_memory_formats", "_mt_qschemes"}) {
    expect_zero(PyDict_Update(constants.get(), PyDict_GetItemString(dict, part)));
  }
  Ref npu_types = own(PyDict_New()), sparse_types = own(PyDict_New());
  make_tensor_types(constants.get(), npu_types.get(), sparse_types.get());
  add_object(module, "_npu_tensor_types", npu_types.get());
  add_object(module, "_sparse_tensor_types", sparse_types.get());
  add_object(module, "_mt_constants", constants.get());
}

}  // namespace mt::py
