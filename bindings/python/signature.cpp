// Builds Python signatures from schemas: self becomes input, Scalar is printed as Number, out and requires_grad are added.
#include "signature.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace mt::py {
namespace {

struct TypeRow {
  const char* schema;
  Kind kind;
  const char* printed;
  const char* key;  // torch's internal name, by which it sorts overloads
};
// Schema types and their names in Python signatures: scalar types first, then list types without their sizes.
constexpr TypeRow type_rows[] = {
    {"Tensor", Kind::tensor, "Tensor", "Tensor"},
    {"Scalar", Kind::scalar, "Number", "Scalar"},
    {"int", Kind::integer, "int", "int64_t"},
    {"SymInt", Kind::integer, "int", "SymInt"},
    {"DeviceIndex", Kind::integer, "int", "int64_t"},
    {"float", Kind::real, "float", "double"},
    {"bool", Kind::boolean, "bool", "bool"},
    {"str", Kind::string, "str", "c10::string_view"},
    {"Dimname", Kind::string, "name", "Dimname"},
    {"ScalarType", Kind::dtype, "torch.dtype", "ScalarType"},
    {"Layout", Kind::layout, "torch.layout", "Layout"},
    {"MemoryFormat", Kind::memory_format, "torch.memory_format", "MemoryFormat"},
    {"Device", Kind::device, "torch.device", "Device"},
    {"Generator", Kind::generator, "torch.Generator", "Generator"},
    {"Storage", Kind::storage, "torch.Storage", "Storage"},
    {"Stream", Kind::stream, "torch.Stream", "Stream"},
    {"object", Kind::object, "object", "PyObject*"},
    {"int[]", Kind::ints, "tuple of ints", "IntArrayRef"},
    {"SymInt[]", Kind::ints, "tuple of ints", "SymIntArrayRef"},
    {"float[]", Kind::reals, "tuple of floats", "ArrayRef<double>"},
    {"bool[]", Kind::booleans, "tuple of bools", "::std::array<bool>"},
    {"Tensor[]", Kind::tensors, "tuple of Tensors", "TensorList"},
    {"Tensor?[]", Kind::optional_tensors, "tuple of Tensors", "c10::List<::std::optional<Tensor>>"},
    {"Scalar[]", Kind::scalars, "tuple of Scalars", "ScalarList"},
    {"str[]", Kind::strings, "tuple of strs", "ArrayRef<c10::string_view>"},
    {"Dimname[]", Kind::strings, "tuple of names", "DimnameList"},
};

const TypeRow& type_row(std::string_view type) {
  if (type.ends_with("?")) type.remove_suffix(1);
  std::string plain(type);
  if (auto open = plain.find('['); open != std::string::npos) plain = plain.substr(0, open) + "[]";
  for (auto& row : type_rows) {
    if (plain == row.schema) return row;
  }
  return type_rows[16];  // object
}

int list_size(std::string_view type) {
  auto open = type.find('[');
  if (open == std::string_view::npos || open + 1 >= type.size() || !isdigit(type[open + 1])) return 0;
  return std::atoi(std::string(type.substr(open + 1)).c_str());
}

// How a default is printed: strings and empty lists look different in schemas and in Python signatures.
std::string format_default(Kind kind, int list_size, const std::string& text) {
  if (kind == Kind::dtype || kind == Kind::layout || kind == Kind::device) return "None";
  if (kind == Kind::integer && text != "None" && isalpha(text[0])) return "at::Reduction::" + text;
  if (kind == Kind::memory_format) return text == "contiguous_format" ? "torch.contiguous_format" : "None";
  if (kind == Kind::string && text.size() >= 2 && (text[0] == '\'' || text[0] == '"')) {
    return "\"" + text.substr(1, text.size() - 2) + "\"";
  }
  if (kind == Kind::ints && text.starts_with("[")) {
    std::string inner = text.substr(1, text.size() - 2);
    std::erase(inner, ' ');
    // int[2] padding=[0, 0] is printed as padding=0.
    std::string first = inner.substr(0, inner.find(',')), repeated = first;
    for (int i = 1; i < list_size; ++i) repeated += "," + first;
    if (inner.empty()) return "None";
    return list_size && inner == repeated ? first : "{" + inner + "}";
  }
  return text;
}

Parameter make_parameter(std::string type, std::string name, const char* default_text, bool keyword_only) {
  Parameter p;
  auto& row = type_row(type);
  p.kind = row.kind;
  p.schema_type = type;
  p.list_size = list_size(type);
  p.allows_none = type.ends_with("?");
  p.takes_index = type.starts_with("SymInt");
  p.keyword_only = keyword_only;
  if (default_text) {
    p.optional = true;
    p.default_text = format_default(p.kind, p.list_size, default_text);
    p.reads_as_zero = p.kind == Kind::integer && !strcmp(default_text, "Mean");
    if (p.default_text == "None" && (p.kind == Kind::ints || std::string_view(default_text) == "None")) p.allows_none = true;
    p.none_is_default = std::string_view(default_text) != "None" || !type.ends_with("?");
  }
  p.name = std::move(name);
  p.py_name = PyUnicode_InternFromString(p.name.c_str());
  static const std::map<std::string, std::vector<const char*>> numpy_names = {{"dim", {"axis"}},
                                                                              {"keepdim", {"keepdims"}},
                                                                              {"input", {"x", "a", "x1"}},
                                                                              {"other", {"x2"}}};
  if (auto found = numpy_names.find(p.name); found != numpy_names.end()) {
    for (const char* other : found->second) p.other_names.push_back(PyUnicode_InternFromString(other));
  }
  return p;
}

bool is_tensor_option(std::string_view name) { return name == "dtype" || name == "layout" || name == "device" || name == "pin_memory"; }

bool has_tensor_options(const mt_op* op, int n) {
  int options = 0;
  for (int i = 0; i < n; ++i) options += is_tensor_option(argument_of(op, i).name);
  return options == 4;
}

// Assigns slots of the out form to parameters by name, and counts its outputs.
void connect_out_form(Signature& s, const mt_op* out, std::vector<Parameter>& option_parameters) {
  s.n_out_args = info_of(out).n_args;
  s.first_out_slot = -1;
  for (int i = 0; i < s.n_out_args; ++i) {
    mt_arg_info arg = argument_of(out, i);
    if (arg.mutated && arg.keyword_only) {
      if (s.first_out_slot < 0) s.first_out_slot = i;
      ++s.n_outs;
      s.out_is_list = std::string_view(arg.type).ends_with("[]");
      continue;
    }
    for (auto* list : {&s.parameters, &option_parameters}) {
      for (auto& p : *list) {
        if (p.name == arg.name || (p.name == "input" && std::string_view(arg.name) == "self")) p.out_slot = i;
      }
    }
  }
  s.out_parameter = static_cast<int>(s.parameters.size());
  s.parameters.push_back(make_parameter(s.n_outs == 1 && !s.out_is_list ? "Tensor" : "Tensor[]", "out", "None", true));
}

// Appends a factory's options, which Python takes by keyword only, and requires_grad.
void append_factory_options(Signature& s, std::vector<Parameter>& option_parameters) {
  for (auto& p : option_parameters) {
    p.keyword_only = true;
    s.parameters.push_back(std::move(p));
  }
  s.is_factory = true;
  s.requires_grad_parameter = static_cast<int>(s.parameters.size());
  s.parameters.push_back(make_parameter("bool", "requires_grad", "False", true));
  s.parameters.back().allows_none = true;
}

std::string_view trim_spaces(std::string_view s) {
  while (!s.empty() && isspace(s.front())) s.remove_prefix(1);
  while (!s.empty() && isspace(s.back())) s.remove_suffix(1);
  return s;
}

}  // namespace

mt_op_info info_of(const mt_op* op) {
  mt_op_info info;
  info.struct_size = sizeof info;
  check(mt_op_get_info(op, &info));
  return info;
}
mt_arg_info argument_of(const mt_op* op, int index) {
  mt_arg_info info;
  info.struct_size = sizeof info;
  check(mt_op_get_arg(op, index, &info));
  return info;
}

const char* printed_type(const Parameter& parameter) { return type_row(parameter.schema_type).printed; }

void Signature::finish() {
  max_positional = min_args = 0;
  for (auto& p : parameters) {
    if (!p.keyword_only) ++max_positional;
    if (!p.optional) ++min_args;
  }
  takes_varargs = max_positional == 1 && !parameters.empty() && parameters[0].kind == Kind::ints;
}

Signature signature_of(const mt_op* op, const mt_op* out, bool method) {
  Signature s;
  mt_op_info info = info_of(op);
  s.op = op;
  s.out_op = out;
  s.n_args = info.n_args;
  s.is_inplace = info.forms & MT_FORM_INPLACE;
  s.gives_list_back = info.n_returns == 0 && std::strncmp(info.name, "_foreach_", 9) == 0;
  // In pow.Scalar(Scalar self, ...) self is not the tensor, so torch does not rename it.
  bool options = has_tensor_options(op, info.n_args);
  std::vector<Parameter> option_parameters;
  for (int i = 0; i < info.n_args; ++i) {
    mt_arg_info arg = argument_of(op, i);
    std::string name = arg.name, type = arg.type;
    if (name == "self" && type == "Tensor") {
      if (method && s.self_slot < 0) {
        s.self_slot = i;
        continue;
      }
      if (!method) name = "input";
    }
    bool is_factory_option = options && is_tensor_option(name);
    Parameter p = make_parameter(type, name, arg.default_text, arg.keyword_only);
    p.slot = i;
    p.allows_number = p.kind == Kind::tensor && (info.traits & MT_OP_NUMBERS_AS_TENSORS);
    if (p.list_size == 0) p.list_size = arg.list_size;
    if (is_factory_option && name == "pin_memory") p.default_text = "False";
    (is_factory_option ? option_parameters : s.parameters).push_back(std::move(p));
  }
  if (out) connect_out_form(s, out, option_parameters);
  if (options) append_factory_options(s, option_parameters);
  if (s.parameters.size() > max_parameters) raise(PyExc_SystemError, "too many arguments: %s", info.schema);
  s.finish();
  return s;
}

Signature signature_from_text(std::string_view text) {
  Signature s;
  auto open = text.find('(');
  auto close = text.rfind(')');
  std::string_view body = text.substr(open + 1, close - open - 1);
  bool keyword_only = false;
  while (!body.empty()) {
    auto comma = body.find(',');
    while (comma != std::string_view::npos &&
           std::count(body.begin(), body.begin() + comma, '[') != std::count(body.begin(), body.begin() + comma, ']')) {
      comma = body.find(',', comma + 1);
    }
    std::string_view item = trim_spaces(body.substr(0, comma));
    body = comma == std::string_view::npos ? std::string_view() : body.substr(comma + 1);
    if (item.empty()) continue;
    if (item == "*") {
      keyword_only = true;
      continue;
    }
    auto equals = item.find('=');
    std::string_view declared = trim_spaces(item.substr(0, equals));
    auto space = declared.rfind(' ');
    std::string default_text(equals == std::string_view::npos ? "" : trim_spaces(item.substr(equals + 1)));
    std::string type(trim_spaces(declared.substr(0, space)));
    if (type == "Number") type = "Scalar";
    s.parameters.push_back(make_parameter(type, std::string(declared.substr(space + 1)),
                                          equals == std::string_view::npos ? nullptr : default_text.c_str(), keyword_only));
    s.parameters.back().slot = static_cast<int>(s.parameters.size()) - 1;
  }
  s.n_args = static_cast<int>(s.parameters.size());
  s.finish();
  return s;
}

void connect_to_current_overload(Signature& deprecated, const Signature& like) {
  std::vector<Parameter> kept;
  for (auto& p : deprecated.parameters) {
    if (p.name == "self" || p.name == "input") {
      if (like.self_slot >= 0) continue;
      p.name = "input";
      p.py_name = PyUnicode_InternFromString("input");
    }
    if (p.name == "out") continue;
    p.slot = -1;
    for (auto& q : like.parameters) {
      if (q.name != p.name) continue;
      p.slot = q.slot;
      p.out_slot = q.out_slot;
      p.allows_number = q.allows_number;
    }
    kept.push_back(p);
  }
  if (like.out_parameter >= 0) {
    kept.push_back(like.parameters[like.out_parameter]);
    deprecated.out_parameter = static_cast<int>(kept.size()) - 1;
  }
  deprecated.parameters = std::move(kept);
  deprecated.op = like.op;
  deprecated.out_op = like.out_op;
  deprecated.n_args = like.n_args;
  deprecated.n_out_args = like.n_out_args;
  deprecated.self_slot = like.self_slot;
  deprecated.n_outs = like.n_outs;
  deprecated.out_is_list = like.out_is_list;
  deprecated.first_out_slot = like.first_out_slot;
  deprecated.is_inplace = like.is_inplace;
  deprecated.deprecated = true;
  deprecated.finish();
}

std::string Signature::text() const {
  std::string text = "(";
  bool starred = false;
  for (size_t i = 0; i < parameters.size(); ++i) {
    auto& p = parameters[i];
    if (i) text += ", ";
    if (p.keyword_only && !starred) {
      text += "*, ";
      starred = true;
    }
    text += std::string(printed_type(p)) + " " + p.name;
    if (p.optional) text += " = " + p.default_text;
  }
  return text + ")";
}

std::string Signature::sort_key() const {
  std::string key = "(";
  bool starred = false;
  for (size_t i = 0; i < parameters.size(); ++i) {
    auto& p = parameters[i];
    if (static_cast<int>(i) == out_parameter) continue;
    if (key.size() > 1) key += ", ";
    if (p.keyword_only && !starred) {
      key += "*, ";
      starred = true;
    }
    key += type_row(p.schema_type).key;
    if (p.list_size) key += "[" + std::to_string(p.list_size) + "]";
    if (p.schema_type.ends_with("?")) key += "?";
    key += " " + p.name;
    if (p.optional) key += "=" + p.default_text;
  }
  return key + ")";
}

namespace {

// Whether an argument of type `a` must be tried after one of type `b`.
bool is_tried_later(const std::string& a, const std::string& b) {
  return (a == "Scalar" && b == "Tensor") || (a == "Scalar?" && b == "Tensor?") ||
         (a.find("Dimname") != std::string::npos && b.find("Dimname") == std::string::npos) ||
         (a == "int[]" && (b == "int" || b == "int?")) || (a == "Tensor[]" && b.find("[]") != std::string::npos) ||
         (a == "SymInt[]" && b == "int[]") || ((a == "SymInt" || a == "int") && b == "Tensor");
}

bool is_smaller(const Signature& a, const Signature& b) {
  auto types = [](const Signature& s) {
    std::vector<std::string> all;
    for (size_t i = 0; i < s.parameters.size(); ++i) {
      if (static_cast<int>(i) == s.out_parameter) continue;
      all.push_back(s.parameters[i].schema_type);
    }
    return all;
  };
  auto x = types(a), y = types(b);
  if (x.size() != y.size() || x == y) return false;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] != y[i] && !is_tried_later(x[i], y[i])) return false;
  }
  return true;
}

}  // namespace

void sort_overloads(std::vector<Signature>& signatures) {
  std::stable_sort(signatures.begin(), signatures.end(), [](auto& a, auto& b) { return a.sort_key() < b.sort_key(); });
  size_t n = signatures.size();
  std::map<size_t, std::set<size_t>> waits_for;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      if (is_smaller(signatures[i], signatures[j])) waits_for[i].insert(j);
    }
  }
  std::vector<size_t> order;
  for (size_t i = 0; i < n; ++i) {
    if (!waits_for.contains(i)) order.push_back(i);
  }
  for (size_t done = 0; done < order.size(); ++done) {
    for (auto it = waits_for.begin(); it != waits_for.end();) {
      it->second.erase(order[done]);
      if (!it->second.empty()) {
        ++it;
        continue;
      }
      order.push_back(it->first);
      it = waits_for.erase(it);
    }
  }
  std::vector<Signature> sorted;
  for (size_t i : order) sorted.push_back(std::move(signatures[i]));
  signatures = std::move(sorted);
}

}  // namespace mt::py
