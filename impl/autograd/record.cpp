// The handlers around an operator's call: they record history, count writes and register views.
#include "autograd/record.h"

#include <bit>

#include "autograd/engine.h"
#include "autograd/meta.h"
#include "autograd/view.h"
#include "definition/definition.h"
#include "dispatch/invoke.h"
#include "dispatch/tensor_args.h"
#include "dispatch/user.h"

namespace mt {
namespace {

bool value_requires_grad(const Value& v) {
  if (v.tag == MT_TAG_TENSOR) return requires_grad(*reinterpret_cast<const TensorImpl*>(v.as.tensor));
  if (!holds_tensor_list(v)) return false;
  for (const Tensor& t : Unbox<TensorList>::from(v))
    if (requires_grad(t)) return true;
  return false;
}

// Returns a bit for each target that needs a gradient in this call.
uint64_t active_targets(const OpAutograd& info, const Value* args) {
  uint64_t active = 0;
  for (size_t t = 0; t < info.targets.size(); ++t)
    if (value_requires_grad(args[info.targets[t].arg])) active |= uint64_t(1) << t;
  return active;
}

void refuse_plain_tensors(const OpAutograd& info, const Value* args) {
  for (int8_t i : info.plain_tensors)
    if (value_requires_grad(args[i]))
      fail(
          "The function '{}' is not differentiable with respect to argument '{}'. This input cannot have requires_grad "
          "True.",
          info.op->schema.name, info.op->schema.args[size_t(i)].name);
}

void run_below_autograd(const Call& c) {
  ExcludeKeys below(key_bit(Key::autograd));
  redispatch_below(c, Key::autograd);
}

int64_t count_target_edges(const OpAutograd& info, size_t t, const Value* args) {
  return info.targets[t].is_list && holds_tensor_list(args[info.targets[t].arg]) ? args[info.targets[t].arg].as.list.size
                                                                                 : int64_t(!info.targets[t].is_list);
}

int count_edges(const OpAutograd& info, const Value* args) {
  int64_t n = 0;
  for (size_t t = 0; t < info.targets.size(); ++t) n += count_target_edges(info, t, args);
  return int(n);
}

void connect_edge(OpNode& node, int e, const Tensor& input) {
  if (!input.defined()) return;
  if (e < 64 && is_complex(input.dtype())) node.complex_edges |= uint64_t(1) << e;
  if (requires_grad(*input)) node.edges[e] = gradient_edge(input);
}

// Makes a node with its edges, and saves all arguments that formulas need and that exist before the call.
Ref<OpNode> start_node(const OpAutograd& info, const Value* args, uint64_t active, int n_inputs, uint64_t& needed,
                       const Tensor* original_self) {
  Ref<OpNode> node = OpNode::make(info, count_edges(info, args), n_inputs);
  int e = 0;
  for (size_t t = 0; t < info.targets.size(); ++t) {
    node->first_edge.push_back(e);
    const Value& v = args[info.targets[t].arg];
    if (!info.targets[t].is_list) {
      connect_edge(*node, e++, Unbox<Tensor>::from(v.tag == MT_TAG_TENSOR ? v : none_value()));
    } else if (holds_tensor_list(v)) {
      for (const Tensor& input : Unbox<TensorList>::from(v)) connect_edge(*node, e++, input);
    }
    if (active >> t & 1) needed |= info.targets[t].slots;
  }
  node->first_edge.push_back(e);
  for (uint64_t rest = needed & info.argument_slots; rest; rest &= rest - 1) {
    const int slot = __builtin_ctzll(rest);
    const SavedPlan& plan = info.slots[size_t(slot)];
    const bool is_argument = plan.source == SavedItem::Source::argument;
    if (is_argument && !original_self && info.op->schema.args[size_t(plan.index)].mutated && args[plan.index].tag == MT_TAG_TENSOR) {
      const Tensor before = op<"clone">(Unbox<Tensor>::from(args[plan.index]));  // written as a side effect: keep the old value
      node->save(slot, box(before), /*is_output=*/false);
      continue;
    }
    const bool replaced = original_self && plan.index == 0 && is_argument;
    node->save(slot, replaced ? box(*original_self) : args[plan.index], /*is_output=*/false);
  }
  return node;
}

void save_results(OpNode& node, const OpAutograd& info, const Value* rets, uint64_t needed) {
  for (uint64_t rest = needed & ~info.argument_slots; rest; rest &= rest - 1) {
    const int slot = __builtin_ctzll(rest);
    node.save(slot, rets[info.slots[size_t(slot)].index], /*is_output=*/true);
  }
}

// A result that is one of the arguments keeps its own history.
bool is_fresh(const Tensor& result) {
  const AutogradMeta* meta = meta_of(result);
  return !meta || (!meta->requires_grad && !meta->grad_fn);
}

bool attach_history(const Ref<Node>& node, const Tensor& result, int nr) {
  if (!result.defined() || !is_differentiable(result.dtype()) || !is_fresh(result)) return false;
  node->describe_input(nr, result);
  set_history(result, node, uint32_t(nr));
  return true;
}

bool attach_histories(const OpAutograd& info, const Ref<Node>& node, const Value* rets) {
  bool any = false;
  if (info.list_result) {
    TensorList results = Unbox<TensorList>::from(rets[0]);
    node->set_inputs(int(results.size()));
    for (int64_t i = 0; i < results.size(); ++i) any |= attach_history(node, results[i], int(i));
    return any;
  }
  int nr = 0;
  for (uint32_t rest = info.recorded_results(); rest; rest &= rest - 1, ++nr) {
    const Value& result = rets[__builtin_ctz(rest)];
    if (result.tag == MT_TAG_TENSOR) any |= attach_history(node, Unbox<Tensor>::from(result), nr);
  }
  return any;
}

template <class T>
Ref<Node> to_node_ref(Ref<T> node) {
  return Ref<Node>::adopt(node.detach());
}

Ref<Node> make_unimplemented_node(const OpAutograd& info, const Value* args) {
  std::vector<Edge> edges;
  auto add = [&](const Tensor& input) {
    if (requires_grad(input)) edges.push_back(gradient_edge(input));
  };
  for (int8_t i : info.op->tensor_args) {
    if (holds_tensor_list(args[i]))
      for (const Tensor& input : Unbox<TensorList>::from(args[i])) add(input);
    else if (args[i].tag == MT_TAG_TENSOR)
      add(Unbox<Tensor>::from(args[i]));
  }
  const OutPolicy* policy = out_policy_of(*info.op);
  const bool is_named = policy && policy->recorded_as && std::string_view(policy->recorded_as).starts_with("aten::");
  const std::string name = is_named ? policy->recorded_as : "aten::" + info.op->schema.name;
  Ref<Node> node = not_implemented_node("derivative for " + name + " is not implemented", int(edges.size()));
  node->set_inputs(info.op->n_rets);
  for (size_t e = 0; e < edges.size(); ++e) node->edges[e] = std::move(edges[e]);
  return node;
}

}  // namespace

// A view of an inference tensor is one, too, and has no history.
static bool is_view_of_inference(const OpAutograd& info, const Value* args) {
  return info.viewed >= 0 && args[info.viewed].tag == MT_TAG_TENSOR && Unbox<Tensor>::from(args[info.viewed])->inference;
}

void record_functional(const Call& c, const void* data) {
  const OpAutograd& info = *static_cast<const OpAutograd*>(data);
  const uint64_t active = active_targets(info, c.args);
  refuse_plain_tensors(info, c.args);
  if (!active || is_view_of_inference(info, c.args)) return run_below_autograd(c);
  if (info.not_implemented) {
    run_below_autograd(c);
    attach_histories(info, make_unimplemented_node(info, c.args), c.rets);
    return;
  }
  uint64_t needed = 0;
  Ref<OpNode> node = start_node(info, c.args, active, std::popcount(info.recorded_results()), needed, nullptr);
  run_below_autograd(c);
  OpNode& op_node = *node;
  Ref<Node> shared = to_node_ref(std::move(node));
  if (attach_histories(info, shared, c.rets)) save_results(op_node, info, c.rets, needed);
}

uint32_t results_to_record(const Operator& op, const Value* args) {
  const auto* info = static_cast<const OpAutograd*>(__atomic_load_n(&op.derivative, __ATOMIC_ACQUIRE));
  if (!thread_state.grad_mode || !info || !(handled_keys(op) & key_bit(Key::autograd))) return 0;
  refuse_plain_tensors(*info, args);
  return active_targets(*info, args) ? info->differentiable_results : 0;
}

void record_inplace(const Call& c, const void* data) {
  const OpAutograd& info = *static_cast<const OpAutograd*>(data);
  const Tensor& self = Unbox<Tensor>::from(c.args[0]);
  const uint64_t active = active_targets(info, c.args);
  refuse_plain_tensors(info, c.args);
  const bool self_is_target = !info.targets.empty() && info.targets[0].arg == 0;
  const bool self_requires = requires_grad(self);
  if (!active && !self_requires) return run_below_autograd(c);
  check_inplace(self);
  if (!is_differentiable(self.dtype()) || (!active && !info.not_implemented)) return run_below_autograd(c);
  if (info.not_implemented) {
    Ref<Node> node = make_unimplemented_node(info, c.args);
    run_below_autograd(c);
    rebase_history(self, std::move(node), /*has_self_edge=*/true);
    return;
  }
  // Saves a copy of `self` if a formula needs its values before the write.
  Tensor original;
  uint64_t wanted = 0;
  for (size_t t = 0; t < info.targets.size(); ++t)
    if (active >> t & 1) wanted |= info.targets[t].slots;
  for (uint64_t rest = wanted & info.argument_slots; rest; rest &= rest - 1) {
    const SavedPlan& plan = info.slots[size_t(__builtin_ctzll(rest))];
    if (plan.index != 0 || plan.source != SavedItem::Source::argument || original.defined()) continue;
    original = op<"clone">(self);  // recorded, so that second derivatives pass through it
  }
  uint64_t needed = 0;
  Ref<OpNode> node = start_node(info, c.args, active, 1, needed, original.defined() ? &original : nullptr);
  run_below_autograd(c);
  OpNode& op_node = *node;
  Ref<Node> shared = to_node_ref(std::move(node));
  if (changes_view_geometry(*info.op))
    continue_history(self, shared);
  else
    rebase_history(self, shared, self_is_target);
  save_results(op_node, info, c.rets, needed);
}

namespace {
// Whether torch has no autograd handler of its own for this out= form: then results get a node that raises, and only leaves cannot be
// written.
bool has_fallback_recorder(const OpAutograd& info) {
  const OutPolicy* policy = out_policy_of(*info.op);
  const Operator& functional = *info.op->functional;
  if (policy && policy->refused_inside) return false;
  if (!info.op->forms && &functional != info.op) return true;  // only torch.ops has it (definition/registry.cpp)
  if (policy && policy->recorded_as) return std::string_view(policy->recorded_as).starts_with("aten::");
  return (info.not_implemented && &functional != info.op) || functional.tensor_args.empty() || has_tensor_options(functional.schema);
}
bool is_leaf_or_view_of_leaf(const Value& v) {
  if (v.tag != MT_TAG_TENSOR) return false;
  const Tensor& t = Unbox<Tensor>::from(v);
  return requires_grad(t) && (is_leaf(t) || (is_view(t) && is_leaf(meta_of(t)->view->base)));
}

void refuse_recorded_out(const OpAutograd& info, const Value* args) {
  const OutPolicy* policy = out_policy_of(*info.op);
  if (policy && policy->refused_inside) return;
  if (policy && policy->recorded_as == written_as_leaf)
    for (int i = info.op->functional->n_args; i < info.op->n_args; ++i)
      if (args[i].tag == MT_TAG_TENSOR) check_inplace(Unbox<Tensor>::from(args[i]));
  const bool is_named = policy && policy->recorded_as && policy->recorded_as[0];
  fail("{}{}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad.",
       has_fallback_recorder(info) && !is_named ? "aten::" : "", is_named ? policy->recorded_as : info.op->base_name.c_str());
}

void bump_version(const Tensor& t) {
  if (!t.defined()) return;
  if (!t->inference) return t.bump_version();
  check(thread_state.inference_mode,
        "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
        "normal tensor before doing "
        "inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.");
}
void bump_versions_of_written(const Call& c) {
  for (int8_t i : c.op.tensor_args) {
    if (!c.op.schema.args[size_t(i)].mutated) continue;
    const Value& v = c.args[i];
    if (v.tag == MT_TAG_TENSOR) bump_version(Unbox<Tensor>::from(v));
    if (holds_tensor_list(v))
      for (const Tensor& t : Unbox<TensorList>::from(v)) bump_version(t);
  }
}

void run_out_form(const Call& c, const OpAutograd& info) {
  if (!info.body.fn) return run_below_autograd(c);
  {
    ExcludeKeys below(key_bit(Key::autograd) | key_bit(Key::view_and_version));
    info.body.fn(c, info.body.data);
  }
  bump_versions_of_written(c);
}
}  // namespace

void record_out(const Call& c, const void* data) {
  const OpAutograd& info = *static_cast<const OpAutograd*>(data);
  bool any = false, leaf = false;
  for (int8_t i : info.op->tensor_args) {
    any |= value_requires_grad(c.args[i]);
    leaf |= info.op->schema.args[size_t(i)].mutated && is_leaf_or_view_of_leaf(c.args[i]);
  }
  const bool continues_history = any && has_fallback_recorder(info) && !leaf;
  if (any && !continues_history) refuse_recorded_out(info, c.args);
  Ref<Node> node;
  if (continues_history) node = make_unimplemented_node(info, c.args);
  run_out_form(c, info);
  if (!node) return;
  for (int8_t i : info.op->tensor_args)
    if (info.op->schema.args[size_t(i)].mutated && c.args[i].tag == MT_TAG_TENSOR) {
      const Tensor& out = Unbox<Tensor>::from(c.args[i]);
      if (is_differentiable(out.dtype())) rebase_history(out, node, /*has_self_edge=*/true);
    }
}

void run_and_register_views(const Call& c, const void* data) {
  const OpAutograd& info = *static_cast<const OpAutograd*>(data);
  {
    ExcludeKeys below(key_bit(Key::autograd) | key_bit(Key::view_and_version));
    redispatch_below(c, Key::view_and_version);
  }
  if (!info.differentiable_view) return;
  const Tensor& source = Unbox<Tensor>::from(c.args[info.viewed]);
  if (!info.list_result) {
    make_view(source, Unbox<Tensor>::from(c.rets[0]), current_creation_meta(false), {&c, info.viewed, 0});
    return;
  }
  TensorList results = Unbox<TensorList>::from(c.rets[0]);
  for (int64_t i = 0; i < results.size(); ++i) make_view(source, results[i], current_creation_meta(true), {&c, info.viewed, int(i)});
}

void run_and_register_geometry(const Call& c, const void* data) {
  const Tensor& self = Unbox<Tensor>::from(c.args[0]);
  const int64_t start = self.storage_offset();
  run_and_bump_versions(c, data);
  rebase_view_geometry(self, start);
}

void run_and_bump_versions(const Call& c, const void*) {
  {
    ExcludeKeys below(key_bit(Key::autograd) | key_bit(Key::view_and_version));
    redispatch_below(c, Key::view_and_version);
  }
  bump_versions_of_written(c);
}

}  // namespace mt
