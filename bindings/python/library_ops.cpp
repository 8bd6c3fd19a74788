// torch.ops: operators by schema name, called with schema arguments, and schemas as objects.
#include <mindtorch/library.h>

#include <algorithm>
#include <map>
#include <string>

#include "library_ops.h"
#include "operators.h"
#include "schema_errors.h"
#include "signature.h"
#include "tensor.h"
#include "torch_function.h"
#include "types.h"

namespace mt::py {
namespace {

// The schema's arguments under their own names.
Signature make_schema_signature(const mt_op* op) {
  mt_op_info info = info_of(op);
  std::string text = "f(";
  bool starred = false;
  for (int i = 0; i < info.n_args; ++i) {
    mt_arg_info arg = argument_of(op, i);
    if (i) text += ", ";
    if (arg.keyword_only && !starred) text += "*, ", starred = true;
    text += std::string(arg.type) + " " + arg.name;
    if (arg.default_text) text += std::string("=") + arg.default_text;
  }
  Signature s = signature_from_text(text + ")");
  s.op = op;
  s.takes_varargs = false;
  for (auto& p : s.parameters) {
    p.allows_number = p.kind == Kind::tensor && (info.traits & MT_OP_NUMBERS_AS_TENSORS);
  }
  return s;
}

struct OperatorObject {
  PyObject_HEAD Overloads* overloads;  // never freed, as operators are not
  std::string* name;     // "aten::add"
  bool decomposes;       // calls the composite body
  vectorcallfunc vectorcall;
};
PyTypeObject* operator_type;

// torch.ops returns a list of tensors as a list, where the Python function returns a tuple.
PyObject* lists_to_python(mt_value& value) {
  const bool is_list = value.tag == MT_TAG_TENSORS || value.tag == MT_TAG_OPTIONAL_TENSORS;
  Ref made = own(to_python(value));
  return is_list ? PySequence_List(made.get()) : made.release();
}
PyObject* call_operator(PyObject* self, PyObject* const* values, size_t flags, PyObject* names) {
  auto* object = reinterpret_cast<OperatorObject*>(self);
  return guarded([&]() -> PyObject* {
    Py_ssize_t n = PyVectorcall_NARGS(flags);
    // The dispatch key is the first argument: the composite key, the keys to continue with as a bit mask, or (key, keys) for the built-in
    // kernel of a key.
    PyObject* first = object->decomposes && n ? values[0] : nullptr;
    if (first) ++values, --n;
    Arguments given{nullptr, values, n, names};
    Match match;
    try {
      match_arguments(*object->overloads, given, match);
    } catch (const PythonError&) {
      if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw;
      PyObject *type, *value, *trace;
      PyErr_Fetch(&type, &value, &trace);
      Ref kept_type(type), kept_value(value), kept_trace(trace);
      raise_schema_mismatch(*object->overloads, given);
      PyErr_Restore(kept_type.release(), kept_value.release(), kept_trace.release());
      throw;
    }
    if (!match.overloaded.empty() || function_state().mode_active()) {
      Ref packet = operator_object(match.signature->op);
      return forward_to_torch_function(packet.get(), object->name->c_str(), given, match.overloaded);
    }
    const Signature& s = *match.signature;
    Arena arena;
    mt_value boxed[max_parameters] = {};
    for (size_t i = 0; i < s.parameters.size(); ++i) {
      if (match.objects[i]) boxed[i] = convert(object->overloads->name, s.parameters[i], match.objects[i], arena);
    }
    Results results;
    if (first) {
      ensure_thread();
      mt_status* status;
      if (PyTuple_Check(first)) {
        int key;
        unsigned long long keys;
        expect(PyArg_ParseTuple(first, "iK", &key, &keys));
        status = mt_op_call_shipped(s.op, key, keys, boxed, s.n_args, results.values, Results::capacity, &results.n);
      } else if (PyLong_Check(first)) {
        const uint64_t keys = PyLong_AsUnsignedLongLong(first);
        status = mt_op_redispatch(s.op, keys, boxed, s.n_args, results.values, Results::capacity, &results.n);
      } else {
        status = mt_op_decompose(s.op, boxed, s.n_args, results.values, Results::capacity, &results.n);
      }
      if (status) results.n = 0;
      check(status);
    } else {
      call(s.op, boxed, s.n_args, results);
    }
    if (results.n == 1) return lists_to_python(results.values[0]);
    if (results.n == 0) return incref(Py_None);
    Ref tuple = own(PyTuple_New(results.n));
    for (int64_t i = 0; i < results.n; ++i) PyTuple_SET_ITEM(tuple.get(), i, lists_to_python(results.values[i]));
    return tuple.release();
  });
}
PyObject* operator_name(PyObject* self, void*) {
  const std::string& full = *reinterpret_cast<OperatorObject*>(self)->name;
  return PyUnicode_FromString(full.substr(full.find("::") + 2).c_str());
}
PyGetSetDef operator_getset[] = {{"__name__", operator_name, nullptr, nullptr, nullptr},
                                 {"__qualname__", operator_name, nullptr, nullptr, nullptr},
                                 {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef operator_members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(OperatorObject, vectorcall), READONLY, nullptr},
                                  {nullptr, 0, 0, 0, nullptr}};
PyType_Slot operator_slots[] = {{Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                {Py_tp_getset, operator_getset},
                                {Py_tp_members, operator_members},
                                {0, nullptr}};
PyType_Spec operator_spec = {"torch._C._Operator", sizeof(OperatorObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, operator_slots};

Ref make_operator(const std::string& name, const std::vector<const mt_op*>& ops, bool decomposes = false) {
  auto* overloads = new Overloads;
  overloads->name = name;
  for (const mt_op* op : ops) overloads->signatures.push_back(make_schema_signature(op));
  if (ops.size() > 1) sort_overloads(overloads->signatures);
  auto* self = PyObject_New(OperatorObject, operator_type);
  expect(self != nullptr);
  self->overloads = overloads;
  self->name = new std::string(name);
  self->decomposes = decomposes;
  self->vectorcall = call_operator;
  return Ref(reinterpret_cast<PyObject*>(self));
}

std::string format_operator_name(const mt_op_info& info) { return std::string(info.ns) + "::" + info.name; }

// nullptr if there is none.
const mt_op* find_overload(const std::string& name, const std::string& overload) {
  const mt_op* op = nullptr;
  mt_status_release(mt_op_find(name.c_str(), overload.c_str(), &op));
  return op;
}
// The listed overloads, those of which `name` is an alias, and the out= forms that only their names find.
std::vector<const mt_op*> overloads_of(const std::string& name) {
  std::vector<const mt_op*> ops;
  auto add = [&](const mt_op* op) {
    if (op && std::find(ops.begin(), ops.end(), op) == ops.end()) ops.push_back(op);
  };
  const std::string word = " " + (name.starts_with("aten::") ? name.substr(6) : "?") + " ";
  for (int64_t i = 0; i < mt_op_count(); ++i) {
    mt_op_info info = info_of(mt_op_at(i));
    if (format_operator_name(info) == name) add(mt_op_at(i));
    if ((" " + std::string(info.aliases) + " ").find(word) != std::string::npos) add(find_overload(name, info.overload));
  }
  for (size_t i = 0, listed = ops.size(); i < listed; ++i) {
    const std::string overload = info_of(ops[i]).overload;
    add(find_overload(name, overload.empty() ? "out" : overload + "_out"));
    if (overload.empty()) add(find_overload(name, "grad_input"));
  }
  return ops;
}

PyObject* get_operation(PyObject*, PyObject* name) {
  return guarded([&] {
    const char* text = PyUnicode_AsUTF8(name);
    expect(text != nullptr);
    auto ops = overloads_of(text);
    if (ops.empty()) return Py_BuildValue("(OO)", Py_None, Py_None);
    Ref names = own(PyList_New(0));
    for (const mt_op* op : ops) {
      Ref overload = own(PyUnicode_FromString(info_of(op).overload));
      expect_zero(PyList_Append(names.get(), overload.get()));
    }
    Ref callable = make_operator(text, ops);
    return Py_BuildValue("(OO)", callable.get(), names.get());
  });
}
PyObject* get_overload(PyObject*, PyObject* args) {
  return guarded([&] {
    const char *name, *overload;
    expect(PyArg_ParseTuple(args, "ss", &name, &overload));
    const mt_op* op = find_overload(name, overload);
    if (!op) return incref(Py_None);
    Ref callable = make_operator(name, {op}), body = make_operator(name, {op}, /*decomposes=*/true);
    return Py_BuildValue("(OO)", callable.get(), body.get());
  });
}

// ---- FunctionSchema ---------------------------------------------------------------------------------------------------------

PyTypeObject *schema_type, *argument_type, *alias_type;

struct SchemaObject {
  PyObject_HEAD PyObject *name, *overload_name, *arguments, *returns, *text, *is_mutable;
};
struct ArgumentObject {
  PyObject_HEAD PyObject *name, *type, *N, *default_value, *has_default, *kwarg_only, *is_out, *alias_info;
};
struct AliasObject {
  PyObject_HEAD PyObject *is_write, *before_set, *after_set;
};
template <int Fields>
void dealloc_fields(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  auto** fields = reinterpret_cast<PyObject**>(self + 1);
  for (int i = 0; i < Fields; ++i) Py_CLEAR(fields[i]);
  type->tp_free(self);
  Py_DECREF(type);
}
PyObject* format_schema(PyObject* self) { return incref(reinterpret_cast<SchemaObject*>(self)->text); }
PyObject* has_default_value(PyObject* self, PyObject*) { return incref(reinterpret_cast<ArgumentObject*>(self)->has_default); }

#define FIELD(Type, field, doc) {#field, T_OBJECT, offsetof(Type, field), READONLY, doc}
PyMemberDef schema_members[] = {FIELD(SchemaObject, name, "The name with its namespace."),
                                FIELD(SchemaObject, overload_name, "The overload's name."),
                                FIELD(SchemaObject, arguments, "The arguments."),
                                FIELD(SchemaObject, returns, "The results."),
                                FIELD(SchemaObject, is_mutable, "Whether an argument is written to."),
                                {nullptr, 0, 0, 0, nullptr}};
PyMemberDef argument_members[] = {FIELD(ArgumentObject, name, "The name."),
                                  FIELD(ArgumentObject, type, "The type, as text."),
                                  FIELD(ArgumentObject, N, "The length of a list, or None."),
                                  FIELD(ArgumentObject, default_value, "The default, or None."),
                                  FIELD(ArgumentObject, kwarg_only, "Whether it is given by name only."),
                                  FIELD(ArgumentObject, is_out, "Whether it is an out= argument."),
                                  FIELD(ArgumentObject, alias_info, "What it shares memory with, or None."),
                                  {nullptr, 0, 0, 0, nullptr}};
PyMemberDef alias_members[] = {FIELD(AliasObject, is_write, "Whether it is written to."),
                               FIELD(AliasObject, before_set, "What it may share memory with."),
                               FIELD(AliasObject, after_set, "What it may share memory with."),
                               {nullptr, 0, 0, 0, nullptr}};
#undef FIELD
PyMethodDef argument_methods[] = {{"has_default_value", has_default_value, METH_NOARGS, "Whether the argument may be left out."},
                                  {nullptr, nullptr, 0, nullptr}};
PyType_Slot schema_slots[] = {{Py_tp_doc, const_cast<char*>("What an overload takes and gives.")},
                              {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_fields<6>)},
                              {Py_tp_members, schema_members},
                              {Py_tp_repr, reinterpret_cast<void*>(format_schema)},
                              {Py_tp_str, reinterpret_cast<void*>(format_schema)},
                              {0, nullptr}};
PyType_Slot argument_slots[] = {{Py_tp_doc, const_cast<char*>("An argument or a result of a schema.")},
                                {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_fields<8>)},
                                {Py_tp_members, argument_members},
                                {Py_tp_methods, argument_methods},
                                {0, nullptr}};
PyType_Slot alias_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc_fields<3>)}, {Py_tp_members, alias_members}, {0, nullptr}};
constexpr unsigned no_new = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
PyType_Spec schema_spec = {"torch._C.FunctionSchema", sizeof(SchemaObject), 0, no_new, schema_slots};
PyType_Spec argument_spec = {"torch._C.Argument", sizeof(ArgumentObject), 0, no_new, argument_slots};
PyType_Spec alias_spec = {"torch._C._AliasInfo", sizeof(AliasObject), 0, no_new, alias_slots};

// Converts a schema's default to a Python value.
Ref default_object(const mt_arg_info& arg) {
  std::string text = arg.default_text ? arg.default_text : "None";
  if (text == "None") return Ref::borrow(Py_None);
  if (text == "True" || text == "False") return Ref::borrow(text == "True" ? Py_True : Py_False);
  if (text == "contiguous_format") return own(memory_format_object(MT_CONTIGUOUS_FORMAT));
  const std::string_view type = arg.type;
  if (type.starts_with("Device")) {
    mt_device device;
    check(mt_device_parse(text.c_str(), &device));
    return own(device_object(device));
  }
  if (type.starts_with("ScalarType")) {  // its number, as in torch's schemas
    if (const int32_t code = dtype_of_name(text); code >= 0) return own(PyLong_FromLong(code));
  }
  Ref globals = own(PyDict_New());
  Ref value(PyRun_String(text.c_str(), Py_eval_input, globals.get(), globals.get()));
  if (value) return value;
  PyErr_Clear();
  return own(PyUnicode_FromString(text.c_str()));
}

Ref make_argument(const mt_arg_info& arg) {
  Ref object = own(argument_type->tp_alloc(argument_type, 0));
  auto* a = reinterpret_cast<ArgumentObject*>(object.get());
  a->name = own(PyUnicode_FromString(arg.name ? arg.name : "")).release();
  a->type = own(PyUnicode_FromString(python_annotation_of(arg.type).c_str())).release();
  a->N = arg.list_size > 0 ? own(PyLong_FromLong(arg.list_size)).release() : incref(Py_None);
  a->default_value = default_object(arg).release();
  a->has_default = PyBool_FromLong(arg.default_text != nullptr);
  a->kwarg_only = PyBool_FromLong(arg.keyword_only);
  a->is_out = PyBool_FromLong(arg.keyword_only && arg.alias_set && arg.mutated);
  if (arg.alias_set) {
    Ref alias = own(alias_type->tp_alloc(alias_type, 0));
    auto* i = reinterpret_cast<AliasObject*>(alias.get());
    i->is_write = PyBool_FromLong(arg.mutated);
    const bool named = arg.alias_set > 0;
    Ref name = own(named ? PyUnicode_FromFormat("%c", 'a' + arg.alias_set - 1) : PyUnicode_FromFormat("$%d", -arg.alias_set - 1));
    for (PyObject** set : {&i->before_set, &i->after_set}) {
      *set = own(PySet_New(nullptr)).release();
      if (named || set == &i->before_set) expect_zero(PySet_Add(*set, name.get()));
    }
    a->alias_info = alias.release();
  } else {
    a->alias_info = incref(Py_None);
  }
  return object;
}

// The Python object of an operator's schema (mt_op_*) or of a parsed one (mt_schema_*).
template <class Described>
Ref make_schema(const Described* described, const mt_op_info& info, mt_status* (*get_arg)(const Described*, int32_t, mt_arg_info*),
                mt_status* (*get_return)(const Described*, int32_t, mt_arg_info*)) {
  Ref object = own(schema_type->tp_alloc(schema_type, 0));
  auto* s = reinterpret_cast<SchemaObject*>(object.get());
  s->name = own(PyUnicode_FromString(*info.ns ? format_operator_name(info).c_str() : info.name)).release();
  s->overload_name = own(PyUnicode_FromString(info.overload)).release();
  s->text = own(PyUnicode_FromString(info.schema)).release();
  s->is_mutable = PyBool_FromLong((info.traits & MT_OP_MUTATES) != 0);
  s->arguments = own(PyList_New(0)).release();
  s->returns = own(PyList_New(0)).release();
  auto append = [&](PyObject* list, auto* get, int count) {
    for (int i = 0; i < count; ++i) {
      mt_arg_info found;
      found.struct_size = sizeof found;
      check(get(described, i, &found));
      expect_zero(PyList_Append(list, make_argument(found).get()));
    }
  };
  append(s->arguments, get_arg, info.n_args);
  append(s->returns, get_return, info.n_returns);
  return object;
}
Ref make_schema(const mt_op* op) { return make_schema(op, info_of(op), mt_op_get_arg, mt_op_get_return); }

PyObject* parse_schema(PyObject*, PyObject* text) {
  return guarded([&] {
    const char* given = PyUnicode_AsUTF8(text);
    expect(given != nullptr);
    mt_schema* parsed = nullptr;
    check(mt_schema_parse(given, &parsed));
    const std::unique_ptr<mt_schema, void (*)(mt_schema*)> owner(parsed, mt_schema_release);
    mt_op_info info;
    info.struct_size = sizeof info;
    check(mt_schema_get_info(parsed, &info));
    return make_schema<mt_schema>(parsed, info, mt_schema_get_arg, mt_schema_get_return).release();
  });
}

PyObject* get_schema(PyObject*, PyObject* args) {
  return guarded([&] {
    const char *name, *overload;
    expect(PyArg_ParseTuple(args, "ss", &name, &overload));
    const mt_op* op = find_overload(name, overload);
    if (!op) raise(PyExc_RuntimeError, "Found no matching schema for %s.%s", name, overload);
    return make_schema(op).release();
  });
}
PyObject* get_schemas(PyObject*, PyObject* name) {
  return guarded([&] {
    const char* text = PyUnicode_AsUTF8(name);
    expect(text != nullptr);
    Ref list = own(PyList_New(0));
    for (const mt_op* op : overloads_of(text)) expect_zero(PyList_Append(list.get(), make_schema(op).get()));
    return list.release();
  });
}

PyObject* get_all_schemas(PyObject*, PyObject*) {
  return guarded([&] {
    Ref list = own(PyList_New(0));
    for (int64_t i = 0; i < mt_op_count(); ++i) expect_zero(PyList_Append(list.get(), make_schema(mt_op_at(i)).get()));
    return list.release();
  });
}

PyMethodDef functions[] = {{"_jit_get_operation", get_operation, METH_O, nullptr},
                           {"_get_operation_overload", get_overload, METH_VARARGS, nullptr},
                           {"parse_schema", parse_schema, METH_O,
                            "torch.parse_schema(schema) -> FunctionSchema\n\n"
                            "Parses the schema of an operator; defines none.\n\n"
                            "Args:\n"
                            "    schema (str): a name, with or without a namespace, the arguments and the results.\n\n"
                            "Returns:\n"
                            "    FunctionSchema: has `name`, `overload_name`, `arguments` and `returns`.\n\n"
                            "Raises:\n"
                            "    RuntimeError: the text is no schema; the message shows where.\n\n"
                            "Example:\n"
                            "    >>> schema = torch.parse_schema(\"my::scale(Tensor x, float factor=2.0) -> Tensor\")\n"
                            "    >>> schema.name, [argument.name for argument in schema.arguments]\n"
                            "    ('my::scale', ['x', 'factor'])\n"},
                           {"_get_schema", get_schema, METH_VARARGS, nullptr},
                           {"_jit_get_schemas_for_operator", get_schemas, METH_O, nullptr},
                           {"_jit_get_all_schemas", get_all_schemas, METH_NOARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

Ref operator_object(const mt_op* op) {
  static auto* known = new std::map<const mt_op*, PyObject*>;
  auto [it, is_new] = known->try_emplace(op, nullptr);
  if (!it->second) {
    mt_op_info info = info_of(op);
    Ref ops = import_from_root("_ops", "ops");
    Ref space = own(PyObject_GetAttrString(ops.get(), info.ns));
    Ref packet = own(PyObject_GetAttrString(space.get(), info.name));
    it->second = own(PyObject_GetAttrString(packet.get(), *info.overload ? info.overload : "default")).release();
  }
  return Ref::borrow(it->second);
}

void init_library_ops(PyObject* module) {
  operator_type = make_type(&operator_spec);
  schema_type = make_type(&schema_spec);
  argument_type = make_type(&argument_spec);
  alias_type = make_type(&alias_spec);
  add_object(module, "FunctionSchema", reinterpret_cast<PyObject*>(schema_type));
  add_object(module, "Argument", reinterpret_cast<PyObject*>(argument_type));
  expect_zero(PyModule_AddFunctions(module, functions));
}

}  // namespace mt::py
