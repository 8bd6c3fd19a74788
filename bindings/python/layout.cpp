// torch.layout, torch.memory_format and torch.qscheme: named constants.
#include <iterator>

#include "types.h"

namespace mt::py {

PyTypeObject* layout_type = nullptr;
PyTypeObject* memory_format_type = nullptr;

namespace {

struct Named {
  PyObject_HEAD int32_t code;
  const char* name;
};
// Indexed by code.
constexpr const char* layouts[] = {"strided", "sparse_coo", "sparse_csr", "_mkldnn", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged"};
constexpr const char* formats[] = {"contiguous_format", "preserve_format", "channels_last", "channels_last_3d"};
constexpr const char* schemes[] = {"per_tensor_affine", "per_channel_affine", "per_tensor_symmetric", "per_channel_symmetric",
                                   "per_channel_affine_float_qparams"};
PyObject* layout_objects[std::size(layouts)];
PyObject* format_objects[std::size(formats)];
PyObject* scheme_objects[std::size(schemes)];

PyObject* repr(PyObject* self) { return PyUnicode_FromFormat("torch.%s", reinterpret_cast<Named*>(self)->name); }
PyObject* reduce(PyObject* self, PyObject*) { return PyUnicode_FromString(reinterpret_cast<Named*>(self)->name); }

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, "What pickle saves."}, {nullptr, nullptr, 0, nullptr}};
constexpr unsigned flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;

PyTypeObject* make_named_type(const char* name, const char* doc) {
  PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>(doc)},
                         {Py_tp_repr, reinterpret_cast<void*>(repr)},
                         {Py_tp_methods, methods},
                         {0, nullptr}};
  PyType_Spec spec = {name, sizeof(Named), 0, flags, slots};
  return make_type(&spec);
}

void add_objects_to_module(PyObject* module, const char* list, PyTypeObject* type, const char* const* names, size_t n, PyObject** objects) {
  Ref all = own(PyDict_New());
  for (size_t i = 0; i < n; ++i) {
    auto* object = PyObject_New(Named, type);
    expect(object != nullptr);
    object->code = static_cast<int32_t>(i);
    object->name = names[i];
    objects[i] = reinterpret_cast<PyObject*>(object);
    expect_zero(PyDict_SetItemString(all.get(), names[i], objects[i]));
  }
  add_object(module, list, all.get());
}

}  // namespace

const char* layout_name(int32_t code) {
  static constexpr const char* names[] = {"Strided", "Sparse", "SparseCsr", "Mkldnn", "SparseCsc", "SparseBsr", "SparseBsc", "Jagged"};
  return names[code];
}
int32_t layout_code(PyObject* o) { return reinterpret_cast<Named*>(o)->code; }
int32_t memory_format_code(PyObject* o) { return reinterpret_cast<Named*>(o)->code; }
PyObject* layout_object(int32_t code) { return incref(layout_objects[code >= 0 && code < int(std::size(layouts)) ? code : 0]); }
PyObject* memory_format_object(int32_t code) { return incref(format_objects[code >= 0 && code < int(std::size(formats)) ? code : 0]); }

void init_layout(PyObject* module) {
  layout_type = make_named_type("torch.layout", "How a tensor's elements are stored.");
  memory_format_type = make_named_type("torch.memory_format", "The order of a tensor's dimensions in memory.");
  add_object(module, "layout", reinterpret_cast<PyObject*>(layout_type));
  add_object(module, "memory_format", reinterpret_cast<PyObject*>(memory_format_type));
  add_objects_to_module(module, "_mt_layouts", layout_type, layouts, std::size(layouts), layout_objects);
  add_objects_to_module(module, "_mt_memory_formats", memory_format_type, formats, std::size(formats), format_objects);
  PyTypeObject* scheme_type = make_named_type("torch.qscheme", "How numbers are quantized.");
  add_object(module, "qscheme", reinterpret_cast<PyObject*>(scheme_type));
  add_objects_to_module(module, "_mt_qschemes", scheme_type, schemes, std::size(schemes), scheme_objects);
}

}  // namespace mt::py
