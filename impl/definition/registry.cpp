// The registry: reads all definitions once, makes their in-place and out forms, and finds operators by name.
#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <sstream>
#include <unordered_map>

#include "core/exception.h"
#include "definition/definition.h"
#include "dispatch/assembly.h"
#include "dispatch/user.h"

namespace mt {
namespace {

struct Registry {
  // Programs may define operators while other threads look some up. An operator, once found, stays valid without the lock.
  std::shared_mutex mutex;
  std::vector<Operator*> operators;
  std::vector<Operator*> removed;  // still pointed to by call sites and C callers
  std::unordered_map<std::string, Operator*> by_name;                    // "aten::add.Tensor"
  std::unordered_map<std::string, std::vector<const Operator*>> by_base; // "aten::add"

  Operator& add(Schema schema) { return *operators.emplace_back(&add_unlisted(std::move(schema))); }
  // Adds an operator that can be found by name but is not listed.
  Operator& add_unlisted(Schema schema) {
    const std::string base = schema.ns + "::" + schema.name;
    const std::string full = base + "." + schema.overload;
    check(!by_name.count(full), "the operator {} is defined twice", full);
    auto* op = new Operator();  // never freed: call sites and C callers keep pointers
    op->schema = std::move(schema);
    op->n_args = int(op->schema.args.size());
    op->n_rets = int(op->schema.returns.size());
    op->functional = op;
    op->base_name = op->schema.name;
    for (size_t i = 0; i < op->schema.args.size(); ++i) {
      ArgType t = op->schema.args[i].type;
      if (t == ArgType::tensor || t == ArgType::tensors || t == ArgType::optional_tensors) op->tensor_args.push_back(int8_t(i));
    }
    by_name[full] = op;
    by_base[base].push_back(op);
    return *op;
  }
};
Registry& registry() {
  static Registry* r = new Registry();
  return *r;
}

bool is_dunder(std::string_view name) { return name.starts_with("__"); }

// torch's overload name for an in-place or out= form, if it differs from the generated one: "dim_max(max, max_values)" also names the
// tensors of the out= form.
struct FormName {
  std::string_view overload;
  std::vector<std::string> outs;
};
std::optional<FormName> find_torch_name(const OpDef& def, std::string_view made) {
  for (const FormOverload& form : def.form_overloads) {
    if (made != form.made) continue;
    const std::string_view text = form.torchs;
    const size_t open = text.find('(');
    FormName name{text.substr(0, open), {}};
    for (size_t from = open; from < text.size() && text[from] != ')';) {
      const size_t begin = text.find_first_not_of(" (,", from);
      from = text.find_first_of(",)", begin);
      name.outs.emplace_back(text.substr(begin, from - begin));
    }
    return name;
  }
  return std::nullopt;
}
std::optional<FormName> apply_torch_name(Schema& form, const OpDef& def) {
  std::optional<FormName> name = find_torch_name(def, form.overload);
  if (name) form.overload = name->overload;
  return name;
}

Schema inplace_schema(const Schema& s, const OpDef& def) {
  Schema r = s;
  r.name += '_';
  // If the name is a dunder ("__and__"), torch puts an i in front: __iand__.
  if (is_dunder(s.name)) r.name = "__i" + s.name.substr(2);
  apply_torch_name(r, def);
  check(!r.args.empty() && r.args[0].type == ArgType::tensor, "{} has an in-place form but no tensor first", s.text);
  r.args[0].mutated = true;
  r.args[0].alias_set = 1;
  r.returns.assign(1, Argument());
  r.returns[0].type = ArgType::tensor;
  r.returns[0].type_text = "Tensor";
  r.returns[0].mutated = true;
  r.returns[0].alias_set = 1;
  r.mutates = true;
  r.is_view = false;
  r.text = schema_text(r);
  return r;
}

Schema out_schema(const Schema& s, const OpDef& def) {
  Schema r = s;
  r.overload = s.overload.empty() || s.overload == "Tensor" ? "out" : s.overload + "_out";
  const std::optional<FormName> torchs = apply_torch_name(r, def);
  if (!torchs && registry().by_name.count(r.ns + "::" + r.name + "." + r.overload)) r.overload = s.overload + "_out";
  if (has_tensor_options(s)) std::erase_if(r.args, [](const Argument& a) { return is_tensor_option(a.name); });
  for (size_t i = 0; i < r.returns.size(); ++i) {
    Argument a;
    a.name = r.returns.size() == 1 ? "out" : s.returns[i].name.empty() ? "out" + std::to_string(i) : s.returns[i].name;
    if (torchs && i < torchs->outs.size()) a.name = torchs->outs[i];
    a.type = r.returns[i].type;
    a.type_text = r.returns[i].type_text;
    a.mutated = true;
    a.alias_set = int8_t(i + 1);
    a.keyword_only = true;
    r.returns[i].mutated = true;
    r.returns[i].alias_set = a.alias_set;
    r.args.push_back(std::move(a));
  }
  r.mutates = true;
  r.text = schema_text(r);
  return r;
}

// An alias such as special_erf is a function of a module, which has no in-place forms.
bool is_module_name(std::string_view name) {
  return name.starts_with("special_") || name.starts_with("linalg_") || name.starts_with("fft_");
}

// The aliases of an in-place form: "arccos __abs__" gives "arccos_", since dunders have no such form.
std::string inplace_aliases(const OpDef& def) {
  std::string names(def.inplace_aliases);
  std::istringstream aliases(std::string(def.aliases));
  for (std::string name; aliases >> name;)
    if (!is_dunder(name) && !is_module_name(name)) names += (names.empty() ? "" : " ") + name + "_";
  return names;
}

Form form_of(const Schema& s) {
  if (!s.args.empty() && s.args[0].mutated) return Form::inplace;
  for (const Argument& a : s.args)
    if (a.mutated && a.keyword_only) return Form::out;
  return Form::functional;  // the operator may write to another argument, as rrelu_with_noise does to the noise
}

void set_traits(Operator& op) {
  const OpDef& body = body_of(op);
  op.traits = op.def->traits | (body.composite && !body.rule && !body.cpu ? MT_OP_COMPOSITE : 0) | (op.schema.mutates ? MT_OP_MUTATES : 0) |
              (op.schema.is_view ? MT_OP_IS_VIEW : 0);
  bool has_tensor = !op.tensor_args.empty();
  for (const Argument& a : op.schema.args)
    if (a.type == ArgType::dtype && !has_tensor) op.traits |= MT_OP_IS_FACTORY;
  op.composite = op.traits & MT_OP_COMPOSITE;
}

// Makes an operator whose schema and definition are set ready to be called.
void complete(Operator& op) {
  set_traits(op);
  install_handlers(op);
}

void build_registry() {
  // Sorts the definitions: the linker decides the order of files, the compiler that within a file.
  std::vector<OpRegistration> sorted(op_registrations().begin(), op_registrations().end());
  std::sort(sorted.begin(), sorted.end(), [](const OpRegistration& a, const OpRegistration& b) {
    const int files = std::strcmp(a.file, b.file);
    return files ? files < 0 : a.line < b.line;
  });
  Registry& r = registry();
  std::vector<Operator*> made;
  auto add_form = [&](Schema schema, const OpDef* def, int overload_index, int forms, const Operator* functional) {
    Form form = form_of(schema);
    Operator& op = r.add(std::move(schema));
    op.def = def;
    op.overload_index = overload_index;
    op.forms = forms;
    op.form = form;
    op.aliases = form == Form::inplace && functional ? inplace_aliases(*def) : std::string(def->aliases);
    if (functional) {
      op.functional = functional;
      op.base_name = functional->base_name;
    }
    made.push_back(&op);
    return &op;
  };
  for (const OpRegistration& registration : sorted) {
    auto* def = new OpDef(registration.make());
    for (size_t i = 0; i < def->schema.size(); ++i) {
      Schema schema;
      try {
        schema = parse_schema(def->schema[i]);
      } catch (const Error& e) {
        fail("{}: {}", registration.file, e.message());
      }
      const Forms forms = forms_of(*def, schema.overload);
      int own_forms = forms & (function | method);
      if (schema.mutates) own_forms = forms & (function | method | inplace | out);
      const Operator* functional = add_form(std::move(schema), def, int(i), own_forms, nullptr);
      if (functional->schema.mutates) continue;
      if (forms & (inplace | inplace_function) && functional->schema.args[0].type == ArgType::tensor) {
        int ways = inplace | ((forms & (inplace | internal)) == inplace ? method : 0) | (forms & inplace_function ? function : 0);
        add_form(inplace_schema(functional->schema, *def), def, int(i), ways, functional);
      }
      if (forms & out) add_form(out_schema(functional->schema, *def), def, int(i), out, functional);
    }
  }
  install_fallbacks();
  for (Operator* op : made) {
    try {
      complete(*op);
    } catch (const Error& e) {
      fail("{}: {}", op->schema.text, e.message());
    }
  }
}

std::once_flag built;

// ---- torch's further operators, which only torch.ops reaches: made on first use, and not listed ----

// Whether torch names the out= argument grad_input, as for most gradients in torch.nn.
bool is_nn_gradient(const std::string& base, const Schema& schema) {
  constexpr std::string_view ending = "_backward";
  if (schema.returns.size() != 1 || !base.ends_with(ending)) return false;
  auto forward = registry().by_base.find(base.substr(0, base.size() - ending.size()));
  if (forward == registry().by_base.end()) return false;
  return std::any_of(forward->second.begin(), forward->second.end(),
                     [](const Operator* op) { return op->def && std::string_view(op->def->module) == "nn"; });
}

// Makes an out= form of an operator whose kernels have none: "clone.out", "gelu_backward.grad_input".
const Operator* derive_out(const std::string& base, const std::string& overload) {
  Registry& r = registry();
  const bool of_gradient = overload == "grad_input", named = overload.size() > 4 && overload.ends_with("_out");
  if (!of_gradient && !named && overload != "out") return nullptr;
  auto found = r.by_name.find(base + "." + (named ? overload.substr(0, overload.size() - 4) : ""));
  if (found == r.by_name.end()) return nullptr;
  const Operator& functional = *found->second;
  const Schema& schema = functional.schema;
  if (!functional.def || functional.form != Form::functional || functional.composite || schema.is_view || schema.mutates) return nullptr;
  bool gives_tensors = !schema.returns.empty();
  for (const Argument& a : schema.returns) gives_tensors &= a.type == ArgType::tensor;
  if (!gives_tensors || is_nn_gradient(base, schema) != of_gradient) return nullptr;
  for (const Operator* other : r.by_base[base]) {
    const bool for_this = other->form == Form::out && (other->functional == &functional || other->functional == other);
    if (for_this && other->n_args - other->n_rets <= functional.n_args && other->n_rets == functional.n_rets) return nullptr;
  }
  Schema derived = out_schema(schema, *functional.def);
  derived.overload = overload;
  for (int i = 0; i < functional.n_rets; ++i)
    derived.args[derived.args.size() - size_t(functional.n_rets - i)].name = of_gradient              ? "grad_input"
                                                                             : functional.n_rets == 1 ? "out"
                                                                                                      : "out" + std::to_string(i);
  derived.text = schema_text(derived);
  Operator& op = r.add_unlisted(std::move(derived));
  op.def = functional.def;
  op.overload_index = functional.overload_index;
  op.form = Form::out;
  op.functional = &functional;
  op.base_name = functional.base_name;
  complete(op);
  return &op;
}

// Finds a form by its generated overload name, such as "eq.out", if torch has another name for it, "eq.Tensor_out".
const Operator* find_form(const std::string& base, const std::string& overload) {
  Registry& r = registry();
  auto found = r.by_base.find(base);
  if (found == r.by_base.end()) return nullptr;
  for (const Operator* op : found->second) {
    const std::optional<FormName> torchs = op->def ? find_torch_name(*op->def, overload) : std::nullopt;
    if (!torchs) continue;
    auto form = r.by_name.find(base + "." + std::string(torchs->overload));
    if (form != r.by_name.end()) return form->second;
  }
  return nullptr;
}

void call_original(const Call& call, const void* original) { mt::call(*static_cast<const Operator*>(original), call.args, call.rets); }

// Whether `name` occurs in the space-separated list `names`.
bool contains_name(std::string_view names, std::string_view name) {
  for (size_t at = names.find(name); at != names.npos; at = names.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || names[at - 1] == ' ') && (end == names.size() || names[end] == ' ')) return !name.empty();
  }
  return false;
}

// Makes the operator of an alias such as "clip", which calls the original operator, clamp.
const Operator* derive_alias(const std::string& base, const std::string& overload) {
  Registry& r = registry();
  if (!base.starts_with("aten::")) return nullptr;
  const std::string name = base.substr(6);
  for (const Operator* meant : r.operators) {
    if (meant->schema.overload != overload || !meant->def || (is_dunder(name) && meant->form == Form::out)) continue;
    if (!contains_name(meant->aliases, name)) continue;
    Schema derived = meant->schema;
    derived.name = name;
    derived.text = schema_text(derived);
    Operator& op = r.add_unlisted(std::move(derived));
    op.form = meant->form;
    op.composite = true;
    op.traits = meant->traits | MT_OP_COMPOSITE;
    for (Key key : composite_keys) set_slot(op, key, call_original, meant);
    return &op;
  }
  return nullptr;
}

}  // namespace

Texts::Texts(std::initializer_list<const char*> list) : std::span<const char* const>(copy_list(list)) {}
FormOverloads::FormOverloads(std::initializer_list<FormOverload> list) : std::span<const FormOverload>(copy_list(list)) {}
Overloads::Overloads(std::initializer_list<Overload> list) : std::span<const Overload>(copy_list(list)) {}
Overloads::Overloads(const std::vector<Overload>& list) : std::span<const Overload>(copy_list(std::span<const Overload>(list))) {}
Overload overload(const char* name, const OpDef& def) { return {name, new OpDef(def)}; }

// The linker defines these as the bounds of the section that MT_OP fills.
extern "C" [[gnu::visibility("hidden")]] const OpRegistration __start_mt_operators[], __stop_mt_operators[];
std::span<const OpRegistration> op_registrations() { return {__start_mt_operators, __stop_mt_operators}; }

void ensure_registry() { std::call_once(built, build_registry); }

const std::vector<Operator*>& all_operators() {
  ensure_registry();
  return registry().operators;
}

int64_t operator_count() {
  ensure_registry();
  std::shared_lock lock(registry().mutex);
  return int64_t(registry().operators.size());
}

const Operator* operator_at(int64_t index) {
  ensure_registry();
  std::shared_lock lock(registry().mutex);
  return index >= 0 && size_t(index) < registry().operators.size() ? registry().operators[size_t(index)] : nullptr;
}

const Operator* find_operator(const char* name, const char* overload) {
  ensure_registry();
  std::string full = std::strstr(name, "::") ? name : std::string("aten::") + name;
  const std::string base = full, kind = overload ? overload : "";
  full += "." + kind;
  {
    std::shared_lock lock(registry().mutex);
    auto found = registry().by_name.find(full);
    if (found != registry().by_name.end()) return found->second;
  }
  std::unique_lock lock(registry().mutex);
  auto found = registry().by_name.find(full);  // another thread may have made it first
  if (found != registry().by_name.end()) return found->second;
  if (const Operator* form = find_form(base, kind)) return form;
  const Operator* derived = derive_out(base, kind);
  return derived ? derived : derive_alias(base, kind);
}

std::vector<const Operator*> overloads_of(const char* name) {
  ensure_registry();
  const std::string full = std::strstr(name, "::") ? name : std::string("aten::") + name;
  std::shared_lock lock(registry().mutex);
  auto found = registry().by_base.find(full);
  return found == registry().by_base.end() ? std::vector<const Operator*>() : found->second;
}

std::string backward_name(const std::string& base_name) {
  std::string name;
  bool upper = true;  // after an underscore or a digit: Log1PBackward0
  for (char c : base_name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (c != '_') name += upper && c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
    upper = !letter;
  }
  return name + "Backward0";
}

void decompose(const Operator& op, const Value* args, Value* rets) {
  const Call call{op, keys_of(op, args), args, rets};
  if (__atomic_load_n(&op.composite, __ATOMIC_ACQUIRE)) {
    const Slot slot = handler_at(op, Key::autograd);
    return slot.fn(call, slot.data);
  }
  const BoxedKernel body = op.def && op.form == Form::functional ? body_of(op).composite : BoxedKernel();
  check(bool(body), ErrorKind::not_implemented, "{} is not a composite operator", op.schema.text);
  body.fn(call, body.data);
}

Operator& add_operator(Schema schema) {
  ensure_registry();
  std::unique_lock lock(registry().mutex);
  Operator& op = registry().add(std::move(schema));
  op.forms = MT_FORM_FUNCTION;
  op.form = !op.schema.mutates ? Form::functional : !op.schema.args.empty() && op.schema.args[0].mutated ? Form::inplace : Form::out;
  op.traits = (op.schema.mutates ? MT_OP_MUTATES : 0) | (op.schema.is_view ? MT_OP_IS_VIEW : 0);
  return op;
}

void remove_operator(Operator& op) {
  const std::string base = op.schema.ns + "::" + op.schema.name;
  std::unique_lock lock(registry().mutex);
  check(std::erase(registry().operators, &op) > 0, "{} is not defined any more", op.schema.text);
  registry().removed.push_back(&op);
  registry().by_name.erase(base + "." + op.schema.overload);
  std::erase(registry().by_base[base], &op);
}

}  // namespace mt
