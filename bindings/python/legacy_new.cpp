// Tensor(...), FloatTensor(...), new(), and functions that make tensors of subclasses.
#include "methods.h"
#include "operators.h"
#include "stream.h"
#include "tensor_types.h"
#include "types.h"

namespace mt::py {
namespace {

struct TensorTypeObject {
  PyHeapTypeObject type;
  int32_t dtype;
  int32_t device_type;
  int32_t layout;
};
PyTypeObject* tensor_type_type;  // type(torch.FloatTensor)

const Parser& new_parser() {
  static const Parser parser("new", {"new(*, Device? device=None)", "new(Storage storage)", "new(Tensor other)",
                                     "new(SymInt[] size, *, Device? device=None)", "new(object data, *, Device? device=None)"});
  return parser;
}

Handle make_empty_tensor(const std::vector<int64_t>& sizes, int32_t dtype, mt_device device) {
  mt_value args[4] = {list_value(MT_TAG_INTS, sizes.data(), static_cast<int64_t>(sizes.size())), dtype_value(dtype), none_value(),
                      device_value(device)};
  return call_for_tensor(find_op("empty", "memory_format"), args, 4);
}

Handle make_tensor_from_sequence(PyObject* data, int32_t dtype, mt_device device) {
  if (PyUnicode_Check(data) || PyBytes_Check(data)) raise(PyExc_TypeError, "new(): invalid data type '%s'", Py_TYPE(data)->tp_name);
  if (!PySequence_Check(data)) raise(PyExc_TypeError, "new(): data must be a sequence (got %s)", Py_TYPE(data)->tp_name);
  return tensor_from_data(data, dtype, &device);
}

// How torch prints a tensor's options.
std::string format_tensor_options(int32_t dtype, mt_device device, int32_t layout) {
  return std::string("TensorOptions(dtype=") + cpp_type_name(dtype) + ", device=" + device_text(device) +
         ", layout=" + layout_name(layout) + ", requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))";
}

void check_device_type(const Parser::Parsed& parsed, int i, mt_device device) {
  if (i < 0 || !parsed.has(i) || parsed.object(i) == Py_None) return;
  const mt_device wanted = to_device(parsed.object(i));
  if (wanted.type == device.type) return;
  raise(PyExc_RuntimeError, "legacy constructor expects device type: %s but device type: %s was passed", mt_device_type_name(device.type),
        mt_device_type_name(wanted.type));
}

// torch.sparse's legacy types warn once for each of their signatures; new() does not warn.
void warn_of_old_sparse(int signature, const char* who) {
  struct Text {
    const char* given;
    const char* instead;
  };
  static constexpr Text texts[] = {{"", "(0,), dtype="},
                                   {"indices, values, *, device=", "indices, values, dtype=, device="},
                                   {"indices, values, shape, *, device=", "indices, values, shape, dtype=, device="},
                                   {"shape, *, device=", "shape, dtype=, device="}};
  static bool given[4] = {};
  if (std::string_view(who) != "torch.sparse.SparseTensor" || !is_due(given[signature])) return;
  warn(PyExc_UserWarning, std::string(who) + "(" + texts[signature].given + ") is deprecated.  Please use torch.sparse_coo_tensor(" +
                              texts[signature].instead + ").");
}
// Implements torch.sparse.FloatTensor(...) (`who`: "torch.sparse.SparseTensor") and new() of a sparse_coo tensor.
Handle make_legacy_sparse(const Arguments& arguments, int32_t dtype, mt_device device, const char* who) {
  static const Parser parser("new", {"new(*, Device? device=None)", "new(Tensor indices, Tensor values, *, Device? device=None)",
                                     "new(Tensor indices, Tensor values, int[] size, *, Device? device=None)",
                                     "new(SymInt[] size, *, Device? device=None)"});
  auto parsed = parser.parse(arguments);
  warn_of_old_sparse(parsed.index, who);
  constexpr int device_at[] = {0, 2, 3, 1};
  check_device_type(parsed, device_at[parsed.index], device);
  if (parsed.index == 1 || parsed.index == 2) {
    std::vector<mt_value> args{tensor_value(handle(parsed.object(0))), tensor_value(handle(parsed.object(1)))};
    std::vector<int64_t> size;
    if (parsed.index == 2) {
      size = parsed.ints(2);
      args.push_back(list_value(MT_TAG_INTS, size.data(), static_cast<int64_t>(size.size())));
    }
    args.insert(args.end(), 5, none_value());
    const mt_op* op = find_op("sparse_coo_tensor", parsed.index == 2 ? "indices_size" : "indices");
    return call_for_tensor(op, args.data(), static_cast<int64_t>(args.size()));
  }
  PyObject* first = arguments.n ? arguments.values[0] : nullptr;
  if (parsed.index == 3 && first && parsed.object(0) == first && Py_TYPE(first) != size_type) {
    raise(
        PyExc_TypeError,
        "%s(sequence) only accepts sizes.  Please use torch.sparse_coo_tensor() or construct a strided tensor and convert it to sparse via "
        "to_sparse.",
        who);
  }
  const std::vector<int64_t> sizes = parsed.index == 0 ? std::vector<int64_t>{0} : parsed.ints(0);
  mt_value args[5] = {list_value(MT_TAG_INTS, sizes.data(), static_cast<int64_t>(sizes.size())), dtype_value(dtype), none_value(),
                      device_value(device), none_value()};
  return call_for_tensor(find_op("sparse_coo_tensor", "size"), args, 5);
}

// Implements torch.Tensor(...) and tensor.new(...). Only torch.Tensor accepts a tensor of another dtype.
Handle make_legacy(const Arguments& arguments, int32_t dtype, mt_device device, bool takes_any_tensor) {
  auto parsed = new_parser().parse(arguments);
  check_device_type(parsed, parsed.index == 0 ? 0 : parsed.index >= 3 ? 1 : -1, device);
  // A list of ints matches `size`, but only torch.Size and separate ints mean a size.
  PyObject* first = arguments.n ? arguments.values[0] : nullptr;
  if (parsed.index == 3 && first && parsed.object(0) == first && Py_TYPE(first) != size_type)
    return make_tensor_from_sequence(first, dtype, device);
  switch (parsed.index) {
    case 0: return make_empty_tensor({0}, dtype, device);
    case 1: {
      mt_storage* storage = to_storage(parsed.object(0));
      check_storage_dtype(parsed.object(0), dtype, scalar_type_name(dtype));
      int64_t bytes = 0;
      check(mt_storage_nbytes(storage, &bytes));
      int64_t n = bytes / mt_dtype_size(dtype);
      Handle tensor;
      check(mt_tensor_from_storage(storage, &n, nullptr, 1, 0, dtype, tensor.out()));
      return tensor;
    }
    case 2: {
      const mt_tensor_info info = info_of(parsed.object(0));
      if (!takes_any_tensor && (info.dtype != dtype || info.device.type != device.type || info.layout != MT_STRIDED))
        raise(PyExc_TypeError, "expected %s (got %s)", format_tensor_options(dtype, device, MT_STRIDED).c_str(),
              format_tensor_options(info.dtype, info.device, info.layout).c_str());
      const mt_value other = tensor_value(handle(parsed.object(0)));
      if (info.layout != MT_STRIDED) return call_for_tensor(find_op("alias", ""), &other, 1);  // raises for sparse tensors
      Handle alias;
      check(mt_tensor_alias(handle(parsed.object(0)), 1, alias.out()));
      return alias;
    }
    case 3: return make_empty_tensor(parsed.ints(0), dtype, device);
  }
  return make_tensor_from_sequence(parsed.object(0), dtype, device);
}

void check_layout(const mt_tensor_info& info) {
  if (info.layout > MT_SPARSE_COO) raise(PyExc_RuntimeError, "Cannot map DispatchKey SparseCsrCPU to a unique layout.");
}
PyObject* new_method(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method(self, "new", values, n, names, [&] {
    mt_tensor_info info = info_of(self);
    check_layout(info);
    const Arguments arguments{nullptr, values, n, names};
    if (info.layout == MT_SPARSE_COO) return wrap(make_legacy_sparse(arguments, info.dtype, info.device, "SparseTensor.new"));
    return wrap(make_legacy(arguments, info.dtype, info.device, /*takes_any_tensor=*/false));
  });
}
PyObject* new_tensor(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method(self, "new_tensor", values, n, names, [&] {
    static const Parser parser("new_tensor",
                               {"new_tensor(object data, *, ScalarType dtype=None, Device? device=None, bool requires_grad=False)"});
    auto parsed = parser.parse({self, values, n, names});
    mt_tensor_info info = info_of(self);
    check_layout(info);
    if (is_tensor(parsed.object(0))) {
      warn(PyExc_UserWarning,
           "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
           "sourceTensor.detach().clone().requires_grad_(True), rather than tensor.new_tensor(sourceTensor).");
    }
    mt_device device = parsed.has(2) && parsed.object(2) != Py_None ? to_device(parsed.object(2)) : info.device;
    int32_t dtype = parsed.dtype(1, is_tensor(parsed.object(0)) ? -1 : info.dtype);
    Handle tensor = tensor_from_data(parsed.object(0), dtype, &device);
    if (parsed.flag(3)) check(mt_tensor_set_requires_grad(tensor.get(), 1));
    return wrap(std::move(tensor));
  });
}

PyTypeObject* tensor_class(PyObject* cls) {
  if (!PyType_Check(cls)) raise(PyExc_TypeError, "cls must be a type (got %s)", Py_TYPE(cls)->tp_name);
  auto* type = reinterpret_cast<PyTypeObject*>(cls);
  if (!PyType_IsSubtype(type, state.tensor_base)) {
    raise(PyExc_TypeError,
          "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your class inherits from "
          "Tensor.");
  }
  return type;
}

PyObject* as_subclass(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return guarded([&] {
    static const Parser parser("as_subclass", {"as_subclass(object cls)"});
    auto parsed = parser.parse({nullptr, values, n, names});
    PyTypeObject* type = tensor_class(parsed.object(0));
    // A differentiable alias.
    mt_value args[1] = {tensor_value(handle(self))};
    Handle made = call_for_tensor(find_op("alias", ""), args, 1);
    void* bound = nullptr;
    int32_t handle_owns = 0;
    check(mt_tensor_binding_get(made.get(), state.binding_id, &bound, &handle_owns));
    if (!bound) return wrap_in_class(made.release(), type);
    Ref given = own(wrap(std::move(made)));  // a __torch_dispatch__ may have returned a subclass
    if (!PyType_IsSubtype(Py_TYPE(given.get()), type)) {
      raise(PyExc_RuntimeError,
            "Creating a new Tensor subclass %s but the raw Tensor object is already associated to a python object of type %s which is "
            "not a subclass of the requested type",
            type->tp_name, Py_TYPE(given.get())->tp_name);
    }
    return given.release();
  });
}

// The properties for which __torch_dispatch__ is asked; the policy's argument is at `first`, the device's and the layout's follow.
uint8_t to_asked(const Parser::Parsed& parsed, int first) {
  uint8_t asked = static_cast<uint8_t>((parsed.flag(first + 1) ? asked_device : 0) | (parsed.flag(first + 2) ? asked_layout : 0));
  if (!parsed.has(first) || parsed.object(first) == Py_None) return asked;
  const char* policy = PyUnicode_AsUTF8(parsed.object(first));
  expect(policy != nullptr);
  if (std::string_view(policy) == "sizes") return asked | asked_sizes;
  if (std::string_view(policy) == "strides") return asked | asked_strides;
  raise(PyExc_ValueError, "Unknown sizes_strides_policy: %s; expected 'strides' or 'sizes'", policy);
}
PyObject* make_subclass(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return guarded([&] {
    static const Parser parser(
        "_make_subclass", {"_make_subclass(object cls, Tensor data, bool require_grad=False, *, str? dispatch_sizes_strides_policy=None, "
                           "bool dispatch_device=False, bool dispatch_layout=False, Device? device_for_backend_keys=None)"});
    auto parsed = parser.parse({nullptr, values, n, names});
    PyTypeObject* type = tensor_class(parsed.object(0));
    Handle alias;
    check(mt_tensor_alias(handle(parsed.object(1)), /*share_version=*/1, alias.out()));
    bool wanted = parsed.flag(2);
    int32_t dtype = info_of(alias.get()).dtype;
    if (wanted && !is_floating(dtype) && !is_complex(dtype)) {
      raise(PyExc_RuntimeError, "Only Tensors of floating point and complex dtype can require gradients");
    }
    check(mt_tensor_set_requires_grad(alias.get(), wanted));
    const uint8_t asked = to_asked(parsed, 3);
    if (asked && !overrides_torch_dispatch(type)) raise(PyExc_RuntimeError, "%s must define __torch_dispatch__", type->tp_name);
    PyObject* made = wrap_in_class(alias.release(), type);
    as_tensor(made)->asked = asked;
    return made;
  });
}

// A meta tensor with the sizes, strides and storage size of a wrapper subclass; no memory is allocated.
Handle make_described_tensor(const std::vector<int64_t>& sizes, const Parser::Parsed& parsed) {
  const int32_t dtype = parsed.dtype(5, mt_default_dtype_get());
  const bool has_strides = parsed.has(2) && parsed.object(2) != Py_None, has_offset = parsed.has(3) && parsed.object(3) != Py_None;
  const bool has_storage = parsed.has(14) && parsed.object(14) != Py_None;
  if (has_offset && !has_strides) raise(PyExc_RuntimeError, "setting storage offset without stride not supported");
  for (int64_t size : sizes)
    if (size < 0) raise(PyExc_RuntimeError, "numel: integer multiplication overflow");
  Handle tensor;
  if (!has_strides && !has_storage) {
    check(mt_tensor_empty(sizes.data(), static_cast<int64_t>(sizes.size()), dtype, {MT_META, -1}, tensor.out()));
    return tensor;
  }
  std::vector<int64_t> strides = has_strides ? parsed.ints(2) : std::vector<int64_t>();
  if (has_strides && strides.size() != sizes.size()) {
    raise(PyExc_RuntimeError, "dimensionality of sizes (%zu) must match dimensionality of strides (%zu)", sizes.size(), strides.size());
  }
  const int64_t offset = has_offset ? parsed.integer(3) : 0, width = mt_dtype_size(dtype);
  int64_t last = offset, step = 1;
  bool empty = false;
  for (size_t d = sizes.size(); d-- > 0; step *= sizes[d]) {
    last += (sizes[d] - 1) * (has_strides ? strides[d] : step);
    empty |= sizes[d] == 0;
  }
  mt_storage* storage = nullptr;
  check(mt_storage_empty(has_storage ? parsed.integer(14) : empty ? 0 : (last + 1) * width, {MT_META, -1}, &storage));
  mt_status* status = mt_tensor_from_storage(storage, sizes.data(), has_strides ? strides.data() : nullptr,
                                             static_cast<int64_t>(sizes.size()), offset, dtype, tensor.out());
  mt_storage_release(storage);
  check(status);
  return tensor;
}

// A tensor without data of its own: a meta tensor of the given description that reports the given device, and whose calls go to
// __torch_dispatch__.
PyObject* make_wrapper_subclass(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return guarded([&] {
    static const Parser parser(
        "_make_wrapper_subclass",
        {"_make_wrapper_subclass(object cls, SymInt[] size, SymInt[]? strides=None, SymInt? storage_offset=None, MemoryFormat? "
         "memory_format=None, "
         "ScalarType dtype=None, Layout layout=strided, Device device=None, bool pin_memory=False, bool requires_grad=False, "
         "str? dispatch_sizes_strides_policy=None, bool dispatch_device=False, bool dispatch_layout=False, "
         "object _extra_dispatch_keys=None, SymInt? storage_size=None)"});
    auto parsed = parser.parse({nullptr, values, n, names});
    PyTypeObject* type = tensor_class(parsed.object(0));
    if (!overrides_torch_dispatch(type)) raise(PyExc_TypeError, "%s must define __torch_dispatch__", type->tp_name);
    std::vector<int64_t> sizes = parsed.ints(1);
    const uint8_t asked = to_asked(parsed, 10);
    Handle tensor = make_described_tensor(sizes, parsed);
    check(mt_tensor_set_requires_grad(tensor.get(), parsed.flag(9)));
    check(mt_tensor_pose(tensor.get(), parsed.has(7) && parsed.object(7) != Py_None ? to_device(parsed.object(7)) : mt_device{MT_CPU, -1}));
    PyObject* made = wrap_in_class(tensor.release(), type);
    as_tensor(made)->asked = asked;
    if (parsed.has(6) && layout_code(parsed.object(6)) != MT_STRIDED)
      as_tensor(made)->claimed_layout = static_cast<int8_t>(layout_code(parsed.object(6)) + 1);
    return made;
  });
}

// ---- torch.FloatTensor and the other tensor types --------------------------------------------------------------------

std::string format_type_name(PyObject* self) {
  return legacy_type_name(tensor_type_dtype(self), tensor_type_device(self), tensor_type_layout(self));
}

PyObject* call_tensor_type(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    Unpacked unpacked(args, kwargs);
    mt_device device = tensor_type_device(self);
    if (device.type == MT_NPU && !npu_count()) {
      raise(PyExc_TypeError, "type %s not available. Torch not compiled with NPU enabled.", format_type_name(self).c_str());
    }
    if (tensor_type_layout(self) == MT_SPARSE_COO)
      return wrap(make_legacy_sparse(unpacked.arguments, tensor_type_dtype(self), device, "torch.sparse.SparseTensor"));
    return wrap(make_legacy(unpacked.arguments, tensor_type_dtype(self), device, /*takes_any_tensor=*/false));
  });
}
PyObject* type_dtype(PyObject* self, void*) { return dtype_object(tensor_type_dtype(self)); }
PyObject* type_layout(PyObject* self, void*) { return layout_object(tensor_type_layout(self)); }
PyObject* type_is_sparse(PyObject* self, void*) { return PyBool_FromLong(tensor_type_layout(self) == MT_SPARSE_COO); }
PyObject* type_is_false(PyObject*, void*) { return incref(Py_False); }
PyObject* type_instancecheck(PyObject* self, PyObject* object) {
  return guarded([&] {
    if (!is_tensor(object)) return incref(Py_False);
    mt_tensor_info info = info_of(object);
    return PyBool_FromLong(info.dtype == tensor_type_dtype(self) && info.device.type == tensor_type_device(self).type &&
                           info.layout == tensor_type_layout(self));
  });
}
PyMethodDef type_methods[] = {{"__instancecheck__", type_instancecheck, METH_O, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyGetSetDef type_getset[] = {{"dtype", type_dtype, nullptr, "The dtype of its tensors.", nullptr},
                             {"layout", type_layout, nullptr, "The layout of its tensors.", nullptr},
                             {"is_cuda", type_is_false, nullptr, "Always False.", nullptr},
                             {"is_xpu", type_is_false, nullptr, "Always False.", nullptr},
                             {"is_sparse", type_is_sparse, nullptr, "Whether the layout is torch.sparse_coo.", nullptr},
                             {"is_sparse_csr", type_is_false, nullptr, "Always False.", nullptr},
                             {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot type_slots[] = {{Py_tp_doc,
                             const_cast<char*>("Makes tensors of one dtype on one kind of device: torch.FloatTensor and its kin.")},
                            {Py_tp_call, reinterpret_cast<void*>(call_tensor_type)},
                            {Py_tp_methods, type_methods},
                            {Py_tp_getset, type_getset},
                            {0, nullptr}};
PyType_Spec type_spec = {"torch.tensortype", sizeof(TensorTypeObject), 0, Py_TPFLAGS_DEFAULT, type_slots};

constexpr int32_t typed[] = {MT_UINT8, MT_INT8, MT_INT16, MT_INT32, MT_INT64, MT_FLOAT16, MT_FLOAT32, MT_FLOAT64, MT_BOOL, MT_BFLOAT16};
constexpr int with_names = METH_FASTCALL | METH_KEYWORDS;

}  // namespace

bool is_tensor_type(PyObject* o) { return Py_TYPE(o) == tensor_type_type; }
int32_t tensor_type_dtype(PyObject* o) { return reinterpret_cast<TensorTypeObject*>(o)->dtype; }
mt_device tensor_type_device(PyObject* o) { return {reinterpret_cast<TensorTypeObject*>(o)->device_type, -1}; }

int32_t tensor_type_layout(PyObject* o) { return reinterpret_cast<TensorTypeObject*>(o)->layout; }

std::string legacy_type_name(int32_t dtype, mt_device device, int32_t layout) {
  if (layout > MT_SPARSE_COO) raise(PyExc_RuntimeError, "Unimplemented backend SparseCsrCPU");
  std::string module = device.type == MT_CPU ? "torch." : std::string("torch.") + mt_device_type_name(device.type) + ".";
  if (layout == MT_SPARSE_COO) module += "sparse.";
  return module + scalar_type_name(dtype) + "Tensor";
}
int32_t dtype_of_legacy_name(const std::string& name, mt_device* device) {
  if (name == "torch.Tensor") return mt_default_dtype_get();
  for (int32_t code = 0; code < 46; ++code) {
    if (!mt_dtype_name(code)) continue;
    for (mt_device kind : {mt_device{MT_CPU, -1}, mt_device{MT_NPU, -1}}) {
      const bool is_name = name == legacy_type_name(code, kind) || (device && name == legacy_type_name(code, kind, MT_SPARSE_COO));
      if (!is_name || (kind.type != MT_CPU && !device)) continue;
      if (device) *device = kind;
      return code;
    }
  }
  return -1;
}

void make_tensor_types(PyObject* constants, PyObject* npu_types, PyObject* sparse_types) {
  tensor_type_type = make_type(&type_spec, &PyType_Type);
  struct Family {
    PyObject* types;
    const char* module;
    int32_t device_type, layout;
  };
  for (const Family& family : {Family{constants, "torch", MT_CPU, MT_STRIDED}, Family{npu_types, "torch.npu", MT_NPU, MT_STRIDED},
                               Family{sparse_types, "torch.sparse", MT_CPU, MT_SPARSE_COO}}) {
    for (int32_t dtype : typed) {
      if (family.layout != MT_STRIDED && dtype == MT_BOOL) continue;  // torch has no such type
      std::string name = std::string(scalar_type_name(dtype)) + "Tensor";
      auto* object = reinterpret_cast<TensorTypeObject*>(
          PyObject_CallFunction(reinterpret_cast<PyObject*>(tensor_type_type), "s(){sNss}", name.c_str(), "__module__",
                                // Interned, as in other classes: a pickle then stores the string once.
                                PyUnicode_InternFromString(family.module), "__doc__", "Makes tensors of one dtype on one kind of device."));
      expect(object != nullptr);
      object->type.ht_type.tp_flags &= ~Py_TPFLAGS_BASETYPE;
      object->type.ht_type.tp_name = strdup((std::string(family.module) + "." + name).c_str());  // for errors; lives as long as the type
      object->dtype = dtype;
      object->device_type = family.device_type;
      object->layout = family.layout;
      expect_zero(PyDict_SetItemString(family.types, name.c_str(), reinterpret_cast<PyObject*>(object)));
    }
  }
}

PyObject* legacy_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  Unpacked unpacked(args, kwargs);
  Handle tensor = make_legacy(unpacked.arguments, mt_default_dtype_get(), {MT_CPU, -1}, /*takes_any_tensor=*/true);
  return wrap_in_class(tensor.release(), type);
}

PyMethodDef tensor_creation_methods[] = {{"new", fast(new_method), with_names, nullptr},
                                         {"new_tensor", fast(new_tensor), with_names, nullptr},
                                         {"as_subclass", fast(as_subclass), with_names, nullptr},
                                         {"_make_subclass", fast(make_subclass), with_names | METH_STATIC,
                                          "A leaf of a subclass over a tensor's memory."},
                                         {"_make_wrapper_subclass", fast(make_wrapper_subclass), with_names | METH_STATIC,
                                          "A subclass with __torch_dispatch__ and no data."},
                                         {nullptr, nullptr, 0, nullptr}};

}  // namespace mt::py
