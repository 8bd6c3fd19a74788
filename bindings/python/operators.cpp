// Makes one Python function or method per name in the registry. There is no list of operators here.
#include "operators.h"

#include <algorithm>
#include <map>
#include <set>

#include "documentation.h"
#include "entry_points.h"
#include "methods.h"
#include "tensor.h"
#include "torch_function.h"
#include "types.h"

namespace mt::py {

OverloadGroup* groups[max_groups];
OverloadGroup* groups_without_arguments[max_without_arguments];

namespace {
// For ==, NumPy leaves a tensor operand to the tensor; Python would compare identities.
PyObject* compare_with_array(PyObject* self, PyObject* array, OverloadGroup& group) {
  PyObject* result = guarded([&] {
    Ref other = own(wrap(tensor_from_numpy(array, /*warn_if_not_writable=*/false)));
    PyObject* values[1] = {other.get()};
    return invoke(group, {self, values, 1, nullptr});
  });
  if (!result && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    Py_RETURN_NOTIMPLEMENTED;
  }
  return result;
}
}  // namespace

PyObject* call_group(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names, OverloadGroup* of) noexcept {
  OverloadGroup& group = *of;
  PyObject* result = guarded([&] { return invoke(group, {group.is_method ? self : nullptr, values, n, names}); });
  if (!result && group.is_operator && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    if (group.takes_arrays && n == 1 && is_numpy_array(values[0])) return compare_with_array(self, values[0], group);
    Py_RETURN_NOTIMPLEMENTED;
  }
  return result;
}
PyObject* call_group_without_arguments(PyObject* self, OverloadGroup* group) noexcept {
  return call_group(self, nullptr, 0, nullptr, group);
}

namespace {

int n_groups = 0, n_without_arguments = 0;
std::map<std::string, int>& method_index() {
  static auto* all = new std::map<std::string, int>;
  return *all;
}
std::map<std::pair<std::string, std::string>, int>& group_index_by_name() {
  static auto* all = new std::map<std::pair<std::string, std::string>, int>;
  return *all;
}

bool is_dunder(const std::string& name) { return name.starts_with("__") && name.ends_with("__"); }

std::vector<std::string> split_nonempty(const char* text, char separator) {
  std::vector<std::string> parts;
  for (const char* at = text; at && *at;) {
    const char* end = strchr(at, separator);
    std::string part(at, end ? static_cast<size_t>(end - at) : strlen(at));
    if (!part.empty()) parts.push_back(part);
    at = end ? end + 1 : nullptr;
  }
  return parts;
}

OverloadGroup& group_at(int index) { return *groups[index]; }

int create_group(const std::string& name, const std::string& module, bool method, const char* doc) {
  if (n_groups >= max_groups) raise(PyExc_SystemError, "more than %d operator names", max_groups);
  auto* group = new OverloadGroup;
  group->overloads.name = group->python_name = name;
  group->module = module;
  group->is_method = method;
  group->is_operator = is_dunder(name);
  group->takes_arrays = name == "__eq__";
  group->doc = doc;
  groups[n_groups] = group;
  return n_groups++;
}

void add_function(const std::string& module, const std::string& name, const Signature& signature, const char* doc) {
  auto [it, is_new] = group_index_by_name().try_emplace({module, name}, -1);
  if (is_new) it->second = create_group(name, module, false, doc);
  group_at(it->second).overloads.signatures.push_back(signature);
}
void add_method(const std::string& name, const Signature& signature, const char* doc) {
  auto [it, is_new] = method_index().try_emplace(name, -1);
  if (is_new) {
    it->second = create_group(name, "", true, doc);
    // __torch_function__ and error texts see `a + b` as Tensor.add; in torch the bitwise operators are methods of their own.
    std::string op = info_of(signature.op).name;
    if (is_dunder(name) && !op.starts_with("bitwise_")) group_at(it->second).overloads.name = op;
  }
  group_at(it->second).overloads.signatures.push_back(signature);
}

// The names of an out form's inputs, or all of a functional form's, optionally without tensor options.
std::vector<std::string> input_names(const mt_op* op, bool skip_options) {
  std::vector<std::string> names;
  mt_op_info info = info_of(op);
  for (int i = 0; i < info.n_args; ++i) {
    mt_arg_info arg = argument_of(op, i);
    std::string name = arg.name;
    bool is_option = name == "dtype" || name == "layout" || name == "device" || name == "pin_memory";
    bool is_out = info.forms & MT_FORM_OUT && arg.mutated && arg.keyword_only;
    if (is_out || (skip_options && is_option)) continue;
    names.push_back(std::string(arg.type) + " " + name);
  }
  return names;
}

const mt_op* out_form_of(const mt_op* op, const std::vector<const mt_op*>& outs) {
  for (bool skip_options : {false, true}) {
    auto wanted = input_names(op, skip_options);
    for (const mt_op* out : outs) {
      if (input_names(out, false) == wanted) return out;
    }
  }
  return nullptr;
}

struct Family {
  std::vector<const mt_op*> plain, inplace, outs;
};

std::map<std::string, Family> read_registry() {
  std::map<std::string, Family> families;
  for (int64_t i = 0; i < mt_op_count(); ++i) {
    const mt_op* op = mt_op_at(i);
    mt_op_info info = info_of(op);
    if (strcmp(info.ns, "aten") != 0) continue;
    auto& family = families[info.base_name];
    (info.forms & MT_FORM_OUT ? family.outs : info.forms & MT_FORM_INPLACE ? family.inplace : family.plain).push_back(op);
  }
  return families;
}

std::string python_module(const char* module) { return module[0] == '_' ? "" : module; }
// An alias such as special_erf belongs to the module in its prefix.
std::string module_of_alias(const std::string& name, const char* own) {
  for (const char* module : {"special", "linalg", "fft"}) {
    if (name.starts_with(std::string(module) + "_")) return module;
  }
  return python_module(own);
}

// The Python names of an operator. If another overload covers it, torch omits it from the signatures of its own name, but not of its
// aliases.
std::vector<std::string> python_names(const mt_op_info& info, bool covered) {
  std::vector<std::string> names;
  if (!covered) names.push_back(info.forms & MT_FORM_INPLACE ? info.name : info.base_name);
  for (auto& alias : split_nonempty(info.aliases, ' ')) {
    if (!covered || !is_dunder(alias)) names.push_back(alias);
  }
  return names;
}

void add_plain(const mt_op* op, const Family& family, bool covered) {
  mt_op_info info = info_of(op);
  const mt_op* out = out_form_of(op, family.outs);
  std::vector<std::string> names = python_names(info, covered);
  if (info.forms & MT_FORM_FUNCTION) {
    Signature s = signature_of(op, out, /*method=*/false);
    for (auto& name : names) {
      if (!is_dunder(name)) add_function(module_of_alias(name, info.module), name, s, info.doc);
    }
  }
  bool has_self = info.n_args > 0 && !strcmp(argument_of(op, 0).name, "self");
  Signature s;
  if (info.forms & MT_FORM_METHOD) s = signature_of(op, nullptr, /*method=*/true);
  for (auto& name : names) {
    if (is_dunder(name) && has_self) {
      add_method(name, signature_of(op, nullptr, true), info.doc);
    } else if (info.forms & MT_FORM_METHOD && s.self_slot >= 0 && module_of_alias(name, "").empty()) {
      add_method(name, s, info.doc);
    }
  }
}

void add_inplace(const mt_op* op, bool covered) {
  mt_op_info info = info_of(op);
  for (auto& name : python_names(info, covered)) {
    if (info.forms & MT_FORM_METHOD) add_method(name, signature_of(op, nullptr, true), info.doc);
    if (info.forms & MT_FORM_FUNCTION && !is_dunder(name)) {
      add_function(python_module(info.module), name, signature_of(op, nullptr, false), info.doc);
    }
  }
}

// add.Scalar is for other languages only: in Python, add.Tensor also takes numbers.
bool is_covered(const mt_op* op, const std::vector<const mt_op*>& siblings) {
  mt_op_info info = info_of(op);
  if (strcmp(info.overload, "Scalar") || info.traits & MT_OP_COMPOSITE) return false;
  const bool beside = std::any_of(siblings.begin(), siblings.end(), [](const mt_op* other) {
    mt_op_info info = info_of(other);
    return !strcmp(info.overload, "Tensor") && info.traits & MT_OP_NUMBERS_AS_TENSORS;
  });
  if (!beside) return false;
  const mt_op* functional = nullptr;  // floor_divide_.Tensor corresponds to an operator without an overload, which has two signatures
  mt_status_release(mt_op_find(info.base_name, "Tensor", &functional));
  return functional != nullptr;
}

// Adds "add(Tensor self, Scalar alpha, Tensor other)" to the groups of its name and of its in-place form; out= comes from the signature
// that it replaces.
void add_deprecated_signature(const std::string& name, const Signature& signature) {
  auto join = [&](OverloadGroup& group) {
    for (auto& like : group.overloads.signatures) {
      Signature copy = signature;
      connect_to_current_overload(copy, like);
      bool complete = std::all_of(copy.parameters.begin(), copy.parameters.end(), [&](auto& p) { return p.slot >= 0 || p.name == "out"; });
      // The deprecated signature must also provide all arguments that the operator requires.
      complete &= std::all_of(like.parameters.begin(), like.parameters.end(), [&](auto& q) {
        return q.optional || q.name == "out" || q.slot < 0 ||
               std::any_of(copy.parameters.begin(), copy.parameters.end(), [&](auto& p) { return p.slot == q.slot; });
      });
      if (!complete || like.deprecated) continue;
      group.overloads.signatures.push_back(copy);
      return;
    }
  };
  if (auto found = method_index().find(name); found != method_index().end()) join(group_at(found->second));
  if (auto found = group_index_by_name().find({"", name}); found != group_index_by_name().end()) join(group_at(found->second));
}

void build_operator_groups() {
  auto families = read_registry();
  std::set<std::string> deprecated;
  for (auto& [base, family] : families) {
    for (const mt_op* op : family.plain) {
      add_plain(op, family, is_covered(op, family.plain));
    }
    for (const mt_op* op : family.inplace) {
      add_inplace(op, is_covered(op, family.inplace));
    }
    for (auto* list : {&family.plain, &family.inplace}) {
      for (const mt_op* op : *list) {
        for (auto& text : split_nonempty(info_of(op).deprecated, '\n')) deprecated.insert(text);
      }
    }
  }
  for (auto& text : deprecated) {
    std::string name = text.substr(0, text.find('('));
    for (auto& form : {name, name + "_"}) add_deprecated_signature(form, signature_from_text(text));
  }
  for (int i = 0; i < n_groups; ++i) sort_overloads(groups[i]->overloads.signatures);
}

const char* find_documentation_of(const OverloadGroup& group) {
  const std::string owner = group.is_method ? "Tensor." : group.module.empty() ? "torch." : "torch." + group.module + ".";
  const char* found = find_documentation(owner + group.python_name);
  return found ? found : group.doc;
}

PyMethodDef make_method_def(int index) {
  OverloadGroup& group = group_at(index);
  const char* name = group.python_name.c_str();
  const char* doc = find_documentation_of(group);
  const bool plain = group.is_method && group.overloads.signatures.size() == 1 && group.overloads.signatures[0].parameters.empty();
  if (plain && n_without_arguments < max_without_arguments) {
    groups_without_arguments[n_without_arguments] = &group;
    return {name, entry_points_without_arguments[static_cast<size_t>(n_without_arguments++)], METH_NOARGS, doc};
  }
  return {name, fast(entry_points[static_cast<size_t>(index)]), METH_FASTCALL | METH_KEYWORDS, doc};
}

PyType_Slot no_slots[] = {{0, nullptr}};
PyType_Spec functions_spec = {"torch._C._VariableFunctionsClass", 0, 0, Py_TPFLAGS_DEFAULT, no_slots};

}  // namespace

void append_operator_methods(std::vector<PyMethodDef>& methods) {
  build_operator_groups();
  std::set<std::string> written_by_hand;
  for (auto& method : methods) written_by_hand.insert(method.ml_name);
  for (auto& [name, index] : method_index()) {
    if (!written_by_hand.contains(name)) methods.push_back(make_method_def(index));
  }
}

OverloadGroup* find_method(const char* name) {
  auto found = method_index().find(name);
  return found == method_index().end() ? nullptr : &group_at(found->second);
}

PyObject* function_of(OverloadGroup& group) {
  if (group.function) return group.function;
  const char* name = group.overloads.name.c_str();
  Ref owner;
  if (group.is_method) {
    owner = Ref::borrow(reinterpret_cast<PyObject*>(state.tensor ? state.tensor : state.tensor_base));
  } else {
    std::string where = group.module.empty() ? "_VariableFunctions" : "_" + group.module;
    owner = own(PyObject_GetAttrString(state.module, where.c_str()));
  }
  PyObject* found = own(PyObject_GetAttrString(owner.get(), name)).release();
  if (!group.is_method)
    group.function = found;  // a method may be patched on the class
  else
    Py_DECREF(found);
  return found;
}

void init_operators(PyObject* module) {
  PyTypeObject* type = make_type(&functions_spec);
  add_object(module, "_VariableFunctionsClass", reinterpret_cast<PyObject*>(type));
  Ref functions = own(type->tp_alloc(type, 0));
  static std::vector<PyMethodDef> definitions;
  definitions.reserve(group_index_by_name().size() + 1);
  Ref torch_name = own(PyUnicode_FromString("torch"));
  for (auto& [key, index] : group_index_by_name()) {
    auto& [python_module, name] = key;
    definitions.push_back(make_method_def(index));
    if (python_module.empty()) {
      // Static methods of a class whose instance is _VariableFunctions, so that pickle finds them by name.
      Ref function = own(PyCFunction_NewEx(&definitions.back(), reinterpret_cast<PyObject*>(type), torch_name.get()));
      Ref static_method = own(PyStaticMethod_New(function.get()));
      expect_zero(PyDict_SetItemString(type->tp_dict, name.c_str(), static_method.get()));
      continue;
    }
    std::string submodule = "_" + python_module;
    PyObject* owner = PyDict_GetItemString(PyModule_GetDict(module), submodule.c_str());
    if (!owner) owner = add_submodule(submodule.c_str(), nullptr);
    Ref module_name = own(PyUnicode_FromString(("torch._C." + submodule).c_str()));
    Ref function = own(PyCFunction_NewEx(&definitions.back(), owner, module_name.get()));
    add_object(owner, name.c_str(), function.get());
  }
  PyType_Modified(type);
  add_object(module, "_VariableFunctions", functions.get());
  for (const char* name : {"_nn", "_linalg", "_fft", "_special", "_sparse", "_nested"}) {
    if (!PyDict_GetItemString(PyModule_GetDict(module), name)) add_submodule(name, nullptr);
  }
  init_return_types(module);
}

}  // namespace mt::py
