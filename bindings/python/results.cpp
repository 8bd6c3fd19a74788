// Results of operators as Python objects, and the named tuples torch.return_types.*.
#include <map>
#include <memory>

#include "operators.h"
#include "tensor.h"
#include "types.h"

namespace mt::py {
namespace {

// The type keeps a pointer to its description.
struct Description {
  std::string name;
  std::vector<std::string> names;
  std::vector<PyStructSequence_Field> fields;
  PyStructSequence_Desc desc{};
};
std::map<const mt_op*, PyTypeObject*>& types_by_op() {
  static auto* types = new std::map<const mt_op*, PyTypeObject*>;
  return *types;
}

PyObject* repr(PyObject* self) {
  auto* type = Py_TYPE(self);
  std::string text = std::string(type->tp_name) + "(\n";
  Py_ssize_t n = PyTuple_GET_SIZE(self);
  for (Py_ssize_t i = 0; i < n; ++i) {
    Ref item(PyObject_Repr(PyTuple_GET_ITEM(self, i)));
    const char* utf8 = item ? PyUnicode_AsUTF8(item.get()) : nullptr;
    if (!utf8) return nullptr;
    if (i) text += ",\n";
    text += std::string(type->tp_members[i].name) + "=" + utf8;
  }
  return PyUnicode_FromString((text + ")").c_str());
}

PyTypeObject* make_return_type(const std::string& name, const std::vector<std::string>& fields) {
  auto description = std::make_unique<Description>();
  description->name = "torch.return_types." + name;
  description->names = fields;
  for (auto& field : description->names) description->fields.push_back({field.c_str(), ""});
  description->fields.push_back({nullptr, nullptr});
  description->desc = {description->name.c_str(), "An operator's results by name.", description->fields.data(),
                       static_cast<int>(fields.size())};
  PyTypeObject* type = PyStructSequence_NewType(&description->desc);
  expect(type != nullptr);
  type->tp_repr = repr;
  // One string for all: a pickle then stores the module name once, as for torch's types.
  Ref module = own(PyUnicode_InternFromString("torch.return_types"));
  expect_zero(PyDict_SetItemString(type->tp_dict, "__module__", module.get()));
  description.release();
  return type;
}

PyObject* tuple_of_tensors(mt_value& value) {
  auto* tensors = static_cast<mt_tensor* const*>(value.as.list.data);
  Ref tuple = own(PyTuple_New(value.as.list.size));
  for (int64_t i = 0; i < value.as.list.size; ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, tensors[i] ? wrap_borrowed(tensors[i]) : incref(Py_None));
  }
  return tuple.release();
}

template <class T, class F>
PyObject* make_python_list(const mt_value& value, F&& make) {
  auto* data = static_cast<const T*>(value.as.list.data);
  Ref list = own(PyList_New(value.as.list.size));
  for (int64_t i = 0; i < value.as.list.size; ++i) PyList_SET_ITEM(list.get(), i, own(make(data[i])).release());
  return list.release();
}

PyObject* string_object(const mt_value& v) { return PyUnicode_DecodeUTF8(v.as.string.data, v.as.string.size, "replace"); }

}  // namespace

PyObject* to_python(mt_value& v) {
  switch (v.tag) {
    case MT_TAG_DEFAULT:
    case MT_TAG_NONE: return incref(Py_None);
    case MT_TAG_BOOL:
    case MT_TAG_INT:
    case MT_TAG_DOUBLE:
    case MT_TAG_COMPLEX: return number_object(v);
    case MT_TAG_DTYPE: return dtype_object(static_cast<int32_t>(v.as.i));
    case MT_TAG_LAYOUT: return layout_object(static_cast<int32_t>(v.as.i));
    case MT_TAG_MEMORY_FORMAT: return memory_format_object(static_cast<int32_t>(v.as.i));
    case MT_TAG_DEVICE: return device_object(v.as.device);
    case MT_TAG_STRING: return string_object(v);
    case MT_TAG_TENSOR:
      if (v.flags & MT_FLAG_OWNED) {
        v.tag = MT_TAG_NONE;  // its reference is now ours
        v.flags = 0;
        return wrap(v.as.tensor);
      }
      return wrap_borrowed(v.as.tensor);
    case MT_TAG_GENERATOR: mt_generator_retain(v.as.generator); return generator_object(v.as.generator);
    case MT_TAG_STORAGE: mt_storage_retain(v.as.storage); return storage_object(v.as.storage);
    case MT_TAG_INTS: return make_python_list<int64_t>(v, [](int64_t i) { return PyLong_FromLongLong(i); });
    case MT_TAG_DOUBLES: return make_python_list<double>(v, [](double d) { return PyFloat_FromDouble(d); });
    case MT_TAG_BOOLS: return make_python_list<uint8_t>(v, [](uint8_t b) { return PyBool_FromLong(b); });
    case MT_TAG_TENSORS:
    case MT_TAG_OPTIONAL_TENSORS: return tuple_of_tensors(v);
    case MT_TAG_SCALARS: return make_python_list<mt_value>(v, [](const mt_value& n) { return number_object(n); });
    case MT_TAG_STRINGS: return make_python_list<mt_value>(v, string_object);
  }
  raise(PyExc_SystemError, "a result has the unknown tag %d", v.tag);
}

PyTypeObject* return_type(const mt_op* op) {
  auto found = types_by_op().find(op);
  return found == types_by_op().end() ? nullptr : found->second;
}

PyObject* results_to_python(const mt_op* op, Results& results) {
  if (results.n == 1) return to_python(results.values[0]);
  if (results.n == 0) return incref(Py_None);
  PyTypeObject* type = return_type(op);
  Ref tuple = own(type ? PyStructSequence_New(type) : PyTuple_New(results.n));
  for (int64_t i = 0; i < results.n; ++i) PyTuple_SET_ITEM(tuple.get(), i, to_python(results.values[i]));
  return tuple.release();
}

void init_return_types(PyObject*) {
  PyObject* module = add_submodule("_return_types", nullptr);
  for (int64_t i = 0; i < mt_op_count(); ++i) {
    const mt_op* op = mt_op_at(i);
    mt_op_info info = info_of(op);
    if (info.n_returns < 2 || (info.forms & MT_FORM_INPLACE)) continue;
    std::vector<std::string> fields;
    for (int r = 0; r < info.n_returns; ++r) {
      mt_arg_info ret;
      ret.struct_size = sizeof ret;
      check(mt_op_get_return(op, r, &ret));
      if (ret.name && *ret.name) fields.push_back(ret.name);
    }
    if (fields.size() != static_cast<size_t>(info.n_returns)) continue;
    std::string name = std::string(info.base_name) + (info.forms & MT_FORM_OUT ? "_out" : "");
    // Overloads of one name share a type if they have the same fields.
    PyTypeObject* type = nullptr;
    if (PyObject* known = PyDict_GetItemString(PyModule_GetDict(module), name.c_str())) {
      type = reinterpret_cast<PyTypeObject*>(known);
    } else {
      type = make_return_type(name, fields);
      add_object(module, name.c_str(), reinterpret_cast<PyObject*>(type));
    }
    types_by_op()[op] = type;
  }
}

}  // namespace mt::py
