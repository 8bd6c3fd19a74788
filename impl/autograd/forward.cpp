// Forward mode for every operator. A view takes the same view of the tangent, a pointwise operator multiplies the tangent by its
// derivative, and any other operator differentiates its backward formula, which is linear in the gradient, once more.
#include "autograd/forward.h"

#include <algorithm>

#include "autograd/engine.h"
#include "autograd/meta.h"
#include "autograd/op_node.h"
#include "core/exception.h"
#include "definition/definition.h"
#include "dispatch/tensor_args.h"
#include "dispatch/user.h"

namespace mt {
namespace {

bool is_elementwise(const Operator& op) {
  const Rule* rule = field(op, &OpDef::rule);
  return field(op, &OpDef::cpu).pointwise || (rule && rule->is_elementwise());
}

// The innermost level at which an argument has a tangent; -1 if none has.
int64_t innermost_level(const Call& c) {
  int64_t level = -1;
  for_each_tensor(c.op, c.args, [&](const Tensor& t) {
    const AutogradMeta* meta = meta_of(t);
    if (!meta || !meta->tangents) return;
    std::lock_guard guard(meta->tangents->lock);
    for (const auto& [at, tangent] : meta->tangents->by_level)
      if (at < hidden_from_level && at > level) level = at;
  });
  return level;
}

// Runs the operator on values only: below this call tangents are ignored.
void run_without_tangents(const Call& c) {
  ExcludeKeys below(key_bit(Key::transforms));
  redispatch_below(c, Key::transforms);
}

// A call at one level: its arguments, its results, and its tangents.
struct LevelCall {
  const Call& c;
  const OpAutograd& info;
  int64_t level;
  std::vector<Tensor> inputs, tangents;  // one per edge of the operator's node
  Small<int32_t, 6> first_edge;
  uint64_t wanted = 0;                   // bits of the targets that have tangents
  Tensor original;                       // `self` before an in-place call

  LevelCall(const Call& call, const OpAutograd& i, int64_t l) : c(call), info(i), level(l) {
    for (size_t t = 0; t < info.targets.size(); ++t) {
      first_edge.push_back(int32_t(inputs.size()));
      for_each_tensor(c.args[info.targets[t].arg], [&](const Tensor& input) {
        inputs.push_back(input);
        tangents.push_back(tangent_of(input, level));
        if (tangents.back().defined()) wanted |= uint64_t(1) << t;
      });
      // An optional tensor has an edge even if it is None.
      if (!info.targets[t].is_list && int32_t(inputs.size()) == first_edge[int64_t(t)]) {
        inputs.emplace_back();
        tangents.emplace_back();
      }
    }
    first_edge.push_back(int32_t(inputs.size()));
  }

  bool formula_reads_self() const {
    uint64_t slots = 0;
    for (size_t t = 0; t < info.targets.size(); ++t)
      if (wanted >> t & 1) slots |= info.targets[t].slots;
    for (size_t i = 0; i < info.slots.size(); ++i)
      if (slots >> i & 1 && info.slots[i].index == 0 && info.slots[i].source == SavedItem::Source::argument) return true;
    for (const SavedPlan& plan : info.jvp_items)
      if (plan.index == 0 && plan.source == SavedItem::Source::argument) return true;
    return false;
  }

  std::vector<Tensor> results() const {
    std::vector<Tensor> all;
    for (int r = 0; r < c.op.n_rets; ++r) {
      if (c.rets[r].tag == MT_TAG_NONE) all.emplace_back();
      for_each_tensor(c.rets[r], [&](const Tensor& t) { all.push_back(t); });
    }
    return all;
  }
  bool is_differentiable_result(size_t i, const Tensor& result) const {
    return result.defined() && is_differentiable(result.dtype()) && (info.list_result || info.differentiable_results >> i & 1);
  }

  // The tangent of the argument at `index` as a value; None if it has no tangent. `holder` keeps the tensor alive.
  Value tangent_value(int index, Tensor& holder) const {
    for (size_t t = 0; t < info.targets.size(); ++t) {
      const size_t e = size_t(first_edge[int64_t(t)]);
      if (info.targets[t].arg == index) holder = tangents[e];
    }
    return holder.defined() ? box(holder) : none_value();
  }

  std::vector<FormulaItem> gather_saved_values(const std::vector<SavedPlan>& plans) const {
    std::vector<FormulaItem> items(plans.size());
    for (size_t i = 0; i < items.size(); ++i) {
      const SavedPlan& plan = plans[i];
      const bool is_result = plan.source == SavedItem::Source::result;
      const bool replaced = original.defined() && plan.index == 0 && plan.source == SavedItem::Source::argument;
      items[i].value = replaced ? box(original) : is_result ? c.rets[plan.index] : c.args[plan.index];
      if (plan.source == SavedItem::Source::tangent) items[i].value = tangent_value(plan.index, items[i].tensor);
      if (plan.source != SavedItem::Source::argument_meta) continue;
      for_each_tensor(c.args[plan.index], [&](const Tensor& t) { items[i].own_metas.push_back(make_tensor_meta(t)); });
      if (items[i].own_metas.empty() && !plan.is_list) items[i].own_metas.push_back(make_tensor_meta(Tensor()));
      items[i].metas = {items[i].own_metas.data(), int64_t(items[i].own_metas.size())};
    }
    return items;
  }

  // Computes the result's tangent by the operator's `.jvp` formula.
  std::vector<Tensor> compute_tangent_by_formula(const Tensor& result) const {
    const std::vector<FormulaItem> items = gather_saved_values(info.jvp_items);
    std::vector<const Value*> values;
    std::vector<const List<TensorMeta>*> metas;
    for (const FormulaItem& item : items) {
      values.push_back(&item.value);
      metas.push_back(&item.metas);
    }
    std::vector<Tensor> out;
    info.jvp->run({nullptr, 0, values.data(), metas.data(), Wanted{wanted}, c.op.form == Form::inplace}, &out);
    if (out[0].defined() && out[0].dtype() != result.dtype()) out[0] = op<"_to_copy">(out[0], result.dtype());
    if (out[0].defined() && out[0].sizes() != result.sizes()) out[0] = op<"expand">(out[0], result.sizes());
    return out;
  }

  // Computes gradients with respect to all inputs from gradients of all results, by the backward formula.
  std::vector<Tensor> compute_input_gradients(std::vector<Tensor>& grads) const {
    const std::vector<FormulaItem> items = gather_saved_values(info.slots);
    std::vector<Tensor> out(inputs.size());
    run_formulas(info, items.data(), wanted, first_edge, grads.data(), int(grads.size()), out.data());
    return out;
  }

  bool is_real_pointwise(const std::vector<Tensor>& outs) const {
    if (!c.op.def || outs.size() != 1 || !is_elementwise(c.op) || is_complex(outs[0].dtype())) return false;
    for (const Tensor& t : inputs)
      if (t.defined() && is_complex(t.dtype())) return false;
    return true;
  }

  // The tangent of a pointwise operator's result by its backward formula: the Jacobian is diagonal and so equals its transpose.
  Tensor multiply_by_diagonal(const Tensor& result) {
    Tensor sum;
    const uint64_t all = wanted;
    const std::vector<Tensor> given = tangents;
    for (uint64_t rest = all; rest; rest &= rest - 1) {
      const int t = __builtin_ctzll(rest);
      wanted = uint64_t(1) << t;
      Tensor tangent = given[size_t(first_edge[t])];
      if (tangent.dtype() != result.dtype()) tangent = op<"_to_copy">(tangent, result.dtype());
      if (tangent.sizes() != result.sizes()) tangent = op<"expand">(tangent, result.sizes());
      std::vector<Tensor> grads(1, tangent);
      Tensor part = compute_input_gradients(grads)[size_t(first_edge[t])];
      if (part.defined()) sum = sum.defined() ? op<"add">(sum, part) : part;
    }
    wanted = all;
    return sum;
  }

  std::vector<Tensor> compute_result_tangents(const std::vector<Tensor>& outs) {
    if (info.jvp) return compute_tangent_by_formula(outs[0]);
    std::vector<Tensor> derivatives(outs.size());
    if (is_real_pointwise(outs) && is_differentiable_result(0, outs[0])) {
      derivatives[0] = multiply_by_diagonal(outs[0]);
      return derivatives;
    }
    const bool create_graph = thread_state.grad_mode;
    GradMode recording(true);
    std::vector<Tensor> cotangents(outs.size());
    std::vector<Edge> ends(outs.size());
    for (size_t i = 0; i < outs.size(); ++i) {
      if (!is_differentiable_result(i, outs[i])) continue;
      cotangents[i] = op<"zeros_like">(outs[i]);
      set_requires_grad(cotangents[i], true);
      ends[i] = gradient_edge(cotangents[i]);
    }
    std::vector<Tensor> gradients = compute_input_gradients(cotangents);
    std::vector<Edge> roots;
    std::vector<Tensor> weights;
    for (size_t e = 0; e < gradients.size(); ++e) {
      Tensor& g = gradients[e];
      if (!g.defined() || !tangents[e].defined() || !requires_grad(g)) continue;
      if (is_complex(g.dtype()) && !is_complex(inputs[e].dtype())) g = op<"real">(g);
      // A formula may return a gradient that is not yet summed over broadcast dimensions: expands the tangent to the gradient's sizes.
      Tensor weight = tangents[e].dtype() == g.dtype() ? tangents[e] : op<"_to_copy">(tangents[e], g.dtype());
      if (weight.sizes() != g.sizes()) weight = op<"expand">(weight, g.sizes());
      roots.push_back(gradient_edge(g));
      weights.push_back(std::move(weight));
    }
    if (roots.empty()) return derivatives;
    BackwardRequest request;
    request.roots = roots.data();
    request.grads = weights.data();
    request.n_roots = int64_t(roots.size());
    request.inputs = ends.data();
    request.n_inputs = int64_t(ends.size());
    request.create_graph = request.keep_graph = create_graph;
    run_backward(request, derivatives.data());
    return derivatives;
  }
};

// Call it before a view without a tangent is written: gives its base a zero tangent, and the view a view of that.
void ensure_tangent_of_base(const Tensor& view, int64_t level) {
  const ViewInfo& info = *meta_of(view)->view;
  if (view.dtype() != info.base.dtype()) return;
  Tensor base_tangent = tangent_of(info.base, level);
  if (!base_tangent.defined()) {
    base_tangent = op<"zero_">(op<"new_empty_strided">(info.base, info.base.sizes(), info.base.strides()));
    set_tangent(info.base, level, base_tangent);
  }
  set_tangent(view, level,
              op<"as_strided">(base_tangent, view.sizes(), view.strides(),
                               base_tangent.storage_offset() + view.storage_offset() - info.base.storage_offset()));
}

void write_tangent(const Tensor& self, int64_t level, Tensor fresh) {
  if (!tangent_of(self, level).defined() && is_view(self)) ensure_tangent_of_base(self, level);
  Tensor tangent = tangent_of(self, level);
  if (!tangent.defined()) return set_tangent(self, level, fresh.defined() ? fresh : op<"zeros_like">(self));
  if (fresh.defined())
    op<"copy_">(tangent, fresh);
  else
    op<"zero_">(tangent);
}

// Takes the same view of the tangent of the viewed argument.
void carry_tangent_to_view(const Call& c, const OpAutograd& info, int64_t level) {
  const Tensor tangent = tangent_of(Unbox<Tensor>::from(c.args[info.viewed]), level);
  redispatch(c.op, c.keys, c.args, c.rets);
  if (!info.differentiable_view || !tangent.defined()) return;
  Small<Value, 16> args(List<Value>(c.args, c.op.n_args));
  args[info.viewed] = box(tangent);
  Results<1> moved;
  call(c.op, args.data(), moved.values);
  if (!info.list_result) return set_tangent(Unbox<Tensor>::from(c.rets[0]), level, Unbox<Tensor>::from(moved.values[0]));
  TensorList results = Unbox<TensorList>::from(c.rets[0]), views = Unbox<TensorList>::from(moved.values[0]);
  for (int64_t i = 0; i < results.size(); ++i) set_tangent(results[i], level, views[i]);
}

// squeeze_ and similar operators change the geometry of both the value and the tangent.
void carry_tangent_through_reshaping(const Call& c, int64_t level) {
  const Tensor& self = Unbox<Tensor>::from(c.args[0]);
  const Tensor tangent = op<"alias">(tangent_of(self, level));
  redispatch(c.op, c.keys, c.args, c.rets);
  Small<Value, 16> args(List<Value>(c.args, c.op.n_args));
  args[0] = box(tangent);
  Results<1> ignored;
  call(c.op, args.data(), ignored.values);
  set_tangent(self, level, tangent);
}

void carry_tangents_in_place(LevelCall& call) {
  const Call& c = call.c;
  const Tensor& self = Unbox<Tensor>::from(c.args[0]);
  if (call.formula_reads_self()) call.original = op<"clone">(self);
  redispatch(c.op, c.keys, c.args, c.rets);
  if (!call.wanted || !is_differentiable(self.dtype())) return;
  write_tangent(self, call.level, call.compute_result_tangents({self})[0]);
}

void carry_tangents_to_new_results(LevelCall& call) {
  const Call& c = call.c;
  redispatch(c.op, c.keys, c.args, c.rets);
  if (!call.wanted) return;
  const std::vector<Tensor> outs = call.results();
  std::vector<Tensor> derivatives = call.compute_result_tangents(outs);
  for (size_t i = 0; i < outs.size(); ++i) {
    if (!call.is_differentiable_result(i, outs[i])) continue;
    if (std::find(call.inputs.begin(), call.inputs.end(), outs[i]) != call.inputs.end()) continue;  // an input returned as a result
    Tensor& derivative = derivatives[i];
    // A tangent in the memory of an input's tangent is cloned, so that a later in-place write of the result does not change the input's
    // tangent.
    for (const Tensor& tangent : call.tangents)
      if (tangent.defined() && derivative.defined() && derivative->storage == tangent->storage) derivative = op<"clone">(derivative);
    set_tangent(outs[i], call.level, derivative.defined() ? derivative : op<"zeros_like">(outs[i]));
  }
}

[[noreturn]] void refuse_forward_mode(const Operator& op) {
  const auto* info = static_cast<const OpAutograd*>(op.derivative);
  if (info && info->not_implemented)
    fail(ErrorKind::not_implemented, "Trying to use forward AD with aten::{} that does not support it.", op.schema.name);
  if (op.form == Form::out)
    fail(ErrorKind::not_implemented, "Trying to use forward AD with {}_out that does not support it because it is an out= function",
         op.base_name);
  fail(ErrorKind::not_implemented,
       "Trying to use forward AD with {} that does not support it because it has not been implemented yet.\nPlease file an "
       "issue to PyTorch at https://github.com/pytorch/pytorch/issues/new?template=feature-request.yml so that we can "
       "prioritize its implementation or submit a PR adding the implementation to derivatives.yaml",
       op.base_name);
}

}  // namespace

void carry_tangents(const Call& c) {
  // Autocast runs before tangents: it calls the operator again with cast arguments, and that call returns to this handler.
  if (c.keys & handled_keys(c.op) & key_bit(Key::autocast)) return redispatch_below(c, Key::transforms);
  const bool no_forward = c.op.def && field(c.op, &OpDef::no_forward);
  if (runs_as_composite(c.op) && c.op.form != Form::out && !no_forward) return redispatch_below(c, Key::transforms);
  const int64_t level = thread_state.forward_grad ? innermost_level(c) : -1;
  if (level < 0) return run_without_tangents(c);
  const auto* info = static_cast<const OpAutograd*>(__atomic_load_n(&c.op.derivative, __ATOMIC_ACQUIRE));
  const bool inplace = c.op.form == Form::inplace;
  if (no_forward || c.op.form == Form::out || !info || (inplace && c.op.schema.args[0].type != ArgType::tensor)) refuse_forward_mode(c.op);
  // From here on only outer levels are visible: they see this call unchanged, and this level's tangents as ordinary
  // values.
  HideLevelsFrom inner(level);
  if (c.op.schema.is_view && info->viewed >= 0) return carry_tangent_to_view(c, *info, level);
  if (inplace && c.op.functional->schema.is_view) return carry_tangent_through_reshaping(c, level);
  LevelCall at_level(c, *info, level);
  if (info->foreign || (info->not_implemented && at_level.wanted)) refuse_forward_mode(c.op);
  inplace ? carry_tangents_in_place(at_level) : carry_tangents_to_new_results(at_level);
}

}  // namespace mt
