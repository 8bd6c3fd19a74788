// Reads an operator's definition: a field comes from the overload's own entry, or else from the shared one.
#pragma once

#include <cstring>
#include <span>
#include <string_view>

#include "definition/op.h"

namespace mt {

// How the results of a family of operators are shaped, allocated, checked and written, in every form; rules/form/rule.h makes them.
struct Rule {
  virtual ~Rule() = default;
  // Sets the operator's backend slots for its form.
  virtual void install(Operator& op) const = 0;
  // Whether each result element depends only on the operands' elements at the same index.
  virtual bool is_elementwise() const { return false; }
};

template <class T>
bool is_set(const T& value) {
  return static_cast<bool>(value);
}
inline bool is_set(const Word& value) { return value[0] != 0; }
inline bool is_set(const Derivative& value) { return value.non_differentiable || !value.formulas.empty(); }
inline bool is_set(const Autocast& value) { return value != Autocast::none; }

// An overload with its own kernel, rule or body uses none of the shared ones.
inline bool replaces_body(const OpDef& def) { return def.rule || def.cpu || def.view || def.composite || def.meta; }

template <class T>
const T& field(const Operator& op, T OpDef::* member) {
  for (const Overload& o : op.def->overloads)
    if (std::strcmp(o.name, op.functional->schema.overload.c_str()) == 0 && is_set(o.def->*member)) return o.def->*member;
  return op.def->*member;
}
// The entry that provides the body: the overload's if it has one.
inline const OpDef& body_of(const Operator& op) {
  for (const Overload& o : op.def->overloads)
    if (std::strcmp(o.name, op.functional->schema.overload.c_str()) == 0 && replaces_body(*o.def)) return *o.def;
  return *op.def;
}
// An overload with its own body uses only the sparse kernels that it names.
inline const BoxedKernel& sparse_of(const Operator& op, BoxedKernel OpDef::* layout) {
  const OpDef& body = body_of(op);
  return &body == op.def ? field(op, layout) : body.*layout;
}
// An overload with its own body uses only the NPU kernel that it names.
inline const NpuKernel& npu_of(const Operator& op) {
  const OpDef& body = body_of(op);
  return &body == op.def ? field(op, &OpDef::npu) : body.npu;
}
inline bool runs_on_any_device(const NpuKernel& kernel) { return kernel && kernel.name == std::string_view(any_device); }
// dtype, layout, device and pin_memory. The out= form of a factory lacks these arguments, since `out` determines them.
inline bool is_tensor_option(const std::string& name) {
  return name == "dtype" || name == "layout" || name == "device" || name == "pin_memory";
}
inline bool has_tensor_options(const Schema& schema) {
  int count = 0;
  for (const Argument& a : schema.args) count += is_tensor_option(a.name);
  return count == 4;
}
inline Forms forms_of(const OpDef& def, const std::string& overload) {
  for (const Overload& o : def.overloads)
    if (overload == o.name && o.def->forms) return o.def->forms;
  return def.forms;
}
// nullptr if the operator treats out= as its family does.
inline const OutPolicy* out_policy_of(const Operator& op) {
  if (!op.def) return nullptr;
  const std::optional<OutPolicy>& policy = field(op, &OpDef::out_policy);
  return policy ? &*policy : nullptr;
}
inline BatchRule batch_rule_of(const Operator& op) { return op.def ? field(op, &OpDef::batch) : nullptr; }
inline const Derivative& derivative_of(const Operator& op) { return field(op, &OpDef::grad); }
// The default name of a node: "NllLossForwardBackward0" for "nll_loss_forward".
std::string backward_name(const std::string& base_name);

// All definitions, in no particular order.
std::span<const OpRegistration> op_registrations();

}  // namespace mt
