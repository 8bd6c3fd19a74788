// Reads a definition's derivative, checks every name in it, and installs the operator's handlers.
#include <algorithm>
#include <numeric>

#include "autograd/autograd.h"
#include "autograd/record.h"
#include "core/messages.h"
#include "definition/definition.h"
#include "dispatch/tensor_args.h"

namespace mt {
namespace {

bool is_list_type(ArgType type) { return type == ArgType::tensors || type == ArgType::optional_tensors; }
bool is_tensor_type(ArgType type) { return type == ArgType::tensor || is_list_type(type); }

int result_index(const Schema& schema, const char* name) {
  const int n = int(schema.returns.size());
  if (n == 1 && std::strcmp(name, "result") == 0) return 0;
  for (int i = 0; i < n; ++i) {
    const std::string& own_name = schema.returns[size_t(i)].name;
    if (own_name == name || ("result" + std::to_string(i)) == name) return i;
  }
  return -1;
}

SavedPlan plan_saved_value(const SavedItem& item, const Schema& functional) {
  SavedPlan plan{};
  plan.name = item.name;
  plan.source = item.source;
  plan.public_name = item.name;
  if (item.source == SavedItem::Source::result) {
    const int index = result_index(functional, item.name);
    check(index >= 0, "the derivative of {} uses a result '{}' that the schema has not", functional.text, item.name);
    plan.index = int8_t(index);
    plan.is_tensor = true;
    plan.is_list = is_list_type(functional.returns[size_t(index)].type);
  } else {
    const int index = functional.index_of(item.name);
    check(index >= 0, "the derivative of {} uses an argument '{}' that the schema has not", functional.text, item.name);
    const ArgType type = functional.args[size_t(index)].type;
    plan.index = int8_t(index);
    plan.is_tensor = is_tensor_type(type);
    plan.is_list = is_list_type(type);
    if (item.source == SavedItem::Source::argument_meta) {
      check(plan.is_tensor, "the derivative of {} asks for the shape of '{}', which is no tensor", functional.text, item.name);
      plan.public_name += "_sym_sizes";
    }
  }
  return plan;
}

int find_or_add_slot(OpAutograd& info, const SavedItem& item, const Schema& functional) {
  SavedPlan plan = plan_saved_value(item, functional);
  for (size_t i = 0; i < info.slots.size(); ++i)
    if (info.slots[i].source == plan.source && info.slots[i].index == plan.index) return int(i);
  check(info.slots.size() < 64, "the derivative of {} saves too much", functional.text);
  if (plan.source != SavedItem::Source::result) info.argument_slots |= uint64_t(1) << info.slots.size();
  info.slots.push_back(std::move(plan));
  return int(info.slots.size()) - 1;
}

// Whether another overload of the same definition has this argument.
bool any_overload_has_argument(const OpDef& def, const char* name) {
  for (const char* text : def.schema)
    if (parse_schema(text).index_of(name) >= 0) return true;
  return false;
}

void add_target(OpAutograd& info, int arg, ArgType type) {
  for (const TargetArg& t : info.targets)
    if (t.arg == arg) return;
  TargetArg target{int8_t(arg), is_list_type(type), 0};
  auto at = info.targets.begin();
  while (at != info.targets.end() && at->arg < arg) ++at;  // targets are in schema order
  info.targets.insert(at, target);
}

// Values are saved in alphabetical order as in torch, where hooks of saved tensors see it.
void sort_slots(OpAutograd& info) {
  std::vector<int8_t> order(info.slots.size()), place(order.size());
  std::iota(order.begin(), order.end(), int8_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](int8_t a, int8_t b) { return info.slots[size_t(a)].public_name < info.slots[size_t(b)].public_name; });
  for (size_t i = 0; i < order.size(); ++i) place[size_t(order[i])] = int8_t(i);
  const auto moved = [&](uint64_t bits) {
    uint64_t result = 0;
    for (; bits; bits &= bits - 1) result |= uint64_t(1) << place[size_t(__builtin_ctzll(bits))];
    return result;
  };
  std::vector<SavedPlan> sorted;
  for (int8_t i : order) sorted.push_back(std::move(info.slots[size_t(i)]));
  info.slots = std::move(sorted);
  info.argument_slots = moved(info.argument_slots);
  for (TargetArg& target : info.targets) target.slots = moved(target.slots);
  for (FormulaPlan& plan : info.formulas)
    for (int8_t& slot : plan.slots) slot = place[size_t(slot)];
}

void read_formulas(OpAutograd& info, const Operator& op, const Derivative& derivative) {
  const Schema& schema = op.functional->schema;
  auto tensor_index = [&](const char* name) {
    const int index = schema.index_of(name);
    check(index >= 0 || any_overload_has_argument(*op.def, name), "the derivative of {} is with respect to '{}', which the schema has not",
          schema.text, name);
    return index >= 0 && is_tensor_type(schema.args[size_t(index)].type) ? index : -1;
  };
  for (const Formula& formula : derivative.formulas)
    for (const char* name : formula.targets)
      if (int index = tensor_index(name); index >= 0) add_target(info, index, schema.args[size_t(index)].type);
  check(info.targets.size() <= 64, "the derivative of {} has too many targets", schema.text);
  for (const Formula& formula : derivative.formulas) {
    FormulaPlan plan;
    plan.formula = &formula;
    bool applies = false;
    for (const char* name : formula.targets) {
      int8_t target = -1;
      const int index = tensor_index(name);
      for (size_t t = 0; t < info.targets.size(); ++t)
        if (info.targets[t].arg == index) target = int8_t(t);
      plan.targets.push_back(target);
      applies |= target >= 0;
    }
    if (!applies) continue;  // in this overload all its targets are numbers
    uint64_t slots = 0;
    for (const SavedItem& item : formula.items) {
      const int slot = find_or_add_slot(info, item, schema);
      plan.slots.push_back(int8_t(slot));
      slots |= uint64_t(1) << slot;
    }
    for (int8_t t : plan.targets)
      if (t >= 0) info.targets[size_t(t)].slots |= slots;
    info.differentiable_results |= formula.results;
    info.formulas.push_back(std::move(plan));
  }
  sort_slots(info);
}

void set_view_handlers(Operator& op, OpAutograd& info) {
  // As in torch, an operator of ours that is neither in-place nor out= does not count writes to its other results.
  if (op.schema.mutates && op.def && op.form == Form::functional) return;
  if (op.schema.mutates) {
    set_slot(op, Key::view_and_version, changes_view_geometry(op) ? run_and_register_geometry : run_and_bump_versions, &info);
    return;
  }
  if (!op.schema.is_view) return;
  for (size_t i = 0; i < op.schema.args.size() && info.viewed < 0; ++i)
    if (op.schema.args[i].alias_set && op.schema.args[i].alias_set == op.schema.returns[0].alias_set) info.viewed = int8_t(i);
  check(info.viewed >= 0, "{}: no argument is what the result is a view of", op.schema.text);
  set_slot(op, Key::view_and_version, run_and_register_views, &info);
}

// The derivative of an in-place operator that writes a bool result over numbers, such as lt_: zeros.
const Derivative& derive_bool_result() {
  static const Derivative* zeros = new Derivative{wrt("self", [](Grad g) { return op<"zeros_like">(g); }),
                                                  wrt("other", [](Grad g) { return op<"zeros_like">(g); })};
  return *zeros;
}

// The node name of an in-place view: torch numbers in-place views after the functional overloads, so with three overloads SqueezeBackward1
// becomes SqueezeBackward4.
std::string inplace_view_name(const std::string& name, size_t overloads) {
  const size_t digit = name.find_last_not_of("0123456789") + 1;
  return digit == name.size() ? name : name.substr(0, digit) + std::to_string(std::stoul(name.substr(digit)) + overloads);
}

// Whether an argument is an index tensor, mask or condition. The operator itself rejects floating dtypes there, so such an argument needs
// no check for requires_grad.
bool selects_elements(const std::string& argument) {
  return argument == "index" || argument == "indices" || argument == "mask" || argument == "condition";
}

KernelFn handler_of(Form form) { return form == Form::inplace ? record_inplace : form == Form::out ? record_out : record_functional; }

// Whether an out= form with a definition of its own passes `out` to other operators, which then refuse recorded arguments and count writes.
bool passes_out_to_operators(const Operator& op) {
  const OutPolicy* policy = out_policy_of(op);
  return op.functional == &op && !(policy && policy->recorded_as);
}

// Reads what an operator's definition states: formulas, the tangent's formula, and tensors that no formula names.
void read_definition(OpAutograd& info, const Operator& op, const Derivative& derivative) {
  if (derivative.formulas.empty()) {
    info.not_implemented = true;
    info.differentiable_results = ~0u;
    for (int8_t i : op.tensor_args)
      if (op.form != Form::out || !op.schema.args[size_t(i)].mutated) add_target(info, i, op.schema.args[size_t(i)].type);
    return;
  }
  read_formulas(info, op, derivative);
  info.jvp = field(op, &OpDef::jvp);
  if (info.jvp)
    for (const SavedItem& item : info.jvp->items) info.jvp_items.push_back(plan_saved_value(item, op.functional->schema));
  for (int8_t i : op.tensor_args) {
    bool is_target = false;
    for (const TargetArg& t : info.targets) is_target |= t.arg == i;
    const Argument& a = op.schema.args[size_t(i)];
    if (!is_target && (op.form == Form::functional || !a.mutated) && !selects_elements(a.name)) info.plain_tensors.push_back(i);
  }
}

// An in-place form is differentiable if its node has a name; others, such as logical_and_, may write to leaves.
void install_non_differentiable(OpAutograd& info, Operator& op, bool has_name) {
  const bool is_form = op.functional != &op;
  if (op.form != Form::inplace || op.schema.args[0].type != ArgType::tensor || (is_form && !has_name)) return;
  if (is_form) read_formulas(info, op, derive_bool_result());
  set_slot(op, Key::autograd, record_inplace, &info);
}

}  // namespace

void install_autograd(Operator& op) {
  if (!op.def || (op.composite && (op.form != Form::out || passes_out_to_operators(op)))) return;
  auto* info = new OpAutograd();  // lives as long as the operator
  info->op = &op;
  op.derivative = info;
  if (op.composite) {  // the operators that it calls write only their own results into `out`
    info->body = op.slots[int(Key::autograd)];
    set_slot(op, Key::view_and_version, run_and_bump_versions, info);
    set_slot(op, Key::autograd, record_out, info);
    return;
  }
  info->list_result = op.n_rets == 1 && is_list_type(op.schema.returns[0].type);
  const Derivative& derivative = derivative_of(op);
  info->differentiable_view = !derivative.non_differentiable;
  set_view_handlers(op, *info);
  // No handler for composites, whose inner operators are recorded, or for factories, which have no input to differentiate.
  if (op.slots[int(Key::autograd)].fn || op.tensor_args.empty()) return;
  const char* given_name = field(op, &OpDef::grad_name);
  info->node_name = given_name[0] ? given_name : backward_name(op.base_name);
  if (changes_view_geometry(op)) info->node_name = inplace_view_name(info->node_name, op.def->schema.size());
  if (op.form == Form::out && op.functional->tensor_args.empty()) {  // a factory
    set_slot(op, Key::autograd, record_out, info);
    return;
  }
  if (derivative.non_differentiable) return install_non_differentiable(*info, op, given_name[0] != 0);
  read_definition(*info, op, derivative);
  if (op.form == Form::inplace && op.schema.args[0].type != ArgType::tensor) return;
  if (info->targets.empty() && info->plain_tensors.empty() && op.form != Form::inplace) return;
  set_slot(op, Key::autograd, handler_of(op.form), info);
}

void install_foreign_autograd(Operator& op, mt_derivative_fn derivative, void* user, void (*destroy)(void* user)) {
  const auto* before = static_cast<const OpAutograd*>(op.derivative);
  check(!before || !before->foreign, messages::has_a_derivative_already, op.schema.name);
  auto* info = new OpAutograd();  // the definition's own entry is kept: running calls may use it
  info->before = before;
  info->op = &op;
  info->node_name = backward_name(op.base_name);
  info->list_result = op.n_rets == 1 && is_list_type(op.schema.returns[0].type);
  info->differentiable_results = ~0u;
  info->foreign = derivative;
  info->user = user;
  info->destroy = destroy;
  if (!derivative) {
    set_view_handlers(op, *info);
    __atomic_store_n(&op.derivative, info, __ATOMIC_RELEASE);
    return;
  }
  check(op.n_args + op.n_rets <= 64, "{} has too many arguments for a derivative", op.schema.name);
  for (int i = 0; i < op.n_args; ++i) {
    const Argument& a = op.schema.args[size_t(i)];
    info->slots.push_back({a.name.c_str(), SavedItem::Source::argument, int8_t(i), is_tensor_type(a.type), is_list_type(a.type), a.name});
  }
  info->argument_slots = (uint64_t(1) << op.n_args) - 1;
  for (int i = 0; i < op.n_rets; ++i) {
    const Argument& r = op.schema.returns[size_t(i)];
    info->slots.push_back({r.name.c_str(), SavedItem::Source::result, int8_t(i), is_tensor_type(r.type), is_list_type(r.type),
                           r.name.empty() ? (op.n_rets == 1 ? "result" : "result" + std::to_string(i)) : r.name});
  }
  for (int8_t i : op.tensor_args) {
    if (op.form == Form::out && op.schema.args[size_t(i)].mutated) continue;
    add_target(*info, i, op.schema.args[size_t(i)].type);
  }
  const uint64_t all = op.n_args + op.n_rets == 64 ? ~uint64_t(0) : (uint64_t(1) << (op.n_args + op.n_rets)) - 1;
  for (TargetArg& t : info->targets) t.slots = all;
  set_view_handlers(op, *info);
  __atomic_store_n(&op.derivative, info, __ATOMIC_RELEASE);
  set_slot(op, Key::autograd, handler_of(op.form), info);
}

}  // namespace mt
