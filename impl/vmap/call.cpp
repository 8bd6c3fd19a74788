// The handler of Key::transforms: finds the level of a call, unwraps batched tensors, and calls again with their values.
#include "vmap/call.h"

#include "autograd/forward.h"
#include "core/exception.h"
#include "core/messages.h"
#include "definition/definition.h"
#include "dispatch/tensor_args.h"
#include "dispatch/user.h"
#include "vmap/rule.h"

namespace mt {
namespace {

int64_t innermost_level(const Call& c) {
  int64_t level = 0;
  for_each_tensor(c.op, c.args, [&](const Tensor& t) {
    const Batch* b = as_batch(t);
    if (b && b->level > level) level = b->level;
  });
  return level;
}

std::string full_name(const Operator& op) {
  return op.schema.ns + "::" + op.schema.name + (op.schema.overload.empty() ? "" : "." + op.schema.overload);
}

// Runs an in-place form by the functional rule: copies the result into `self`, or makes `self` a view of it.
void overwrite_batched(const BatchCall& c, BatchRule rule) {
  const Operator& functional = *c.op.functional;
  Results<1> result;
  rule(BatchCall(functional, c.args, result.values, c.level, c.size));
  if (functional.schema.is_view) {
    auto* self = static_cast<Batch*>(c.tensor(0)->extra);
    *self = *as_batch(Unbox<Tensor>::from(result.values[0]));
    return c.set_result_to_self();
  }
  VisibleLevels all(c.level);
  op<"copy_">(c.tensor(0), Unbox<Tensor>::from(result.values[0]));
  c.set_result_to_self();
}

void run_batched(const Call& c, const void*) {
  const int64_t level = innermost_level(c);
  const int64_t depth = vmap_depth();
  if (depth && is_random(c)) {
    const Layer& layer = vmap_layer(level > depth ? level : depth);
    VisibleLevels outer(layer.level - 1);
    return batch_random(BatchCall(c.op, c.args, c.rets, layer.level, layer.size), layer.randomness);
  }
  if (!level) return carry_tangents(c);
  const Layer layer = vmap_layer(level);
  const BatchRule rule = batch_rule_of(c.op);
  if (!rule && runs_as_composite(c.op) && c.op.form != Form::out) return redispatch_below(c, Key::transforms);
  check(c.op.form != Form::out, "Batching rule not implemented for {}; the fallback path doesn't work on out= or view ops.",
        full_name(c.op));
  VisibleLevels outer(level - 1);
  const BatchCall call(c.op, c.args, c.rets, level, layer.size);
  if (!rule) return family_rule(c.op)(call);
  if (c.op.functional != &c.op && !handles_inplace_forms(rule)) return overwrite_batched(call, rule);
  rule(call);
}

}  // namespace

const Tensor& BatchCall::tensor(int arg) const {
  static const Tensor none;
  return args[arg].tag == MT_TAG_TENSOR ? Unbox<Tensor>::from(args[arg]) : none;
}

Tensor BatchCall::front(const Tensor& t) const {
  const Batch* b = batch(t);
  if (!b) return t;
  return b->dim == 0 ? b->value : mt::op<"movedim.int">(b->value, b->dim, 0);
}

Tensor BatchCall::expanded(const Tensor& t) const {
  if (!t.defined() || batch(t)) return front(t);
  Dims sizes{size};
  for (int64_t s : t.sizes()) sizes.push_back(s);
  return mt::op<"expand">(t, sizes);
}

Tensor BatchCall::padded(const Tensor& t, int64_t rank) const {
  Tensor value = front(t);
  if (!batch(t)) return value;
  for (int64_t d = t.dim(); d < rank; ++d) value = mt::op<"unsqueeze">(value, 1);
  return value;
}

void BatchCall::set_result(int ret, Tensor value) const { put(rets[ret], value.defined() ? make_batched(value, 0, level) : value); }

void BatchCall::set_result_list(int ret, std::vector<Tensor> values) const {
  for (Tensor& value : values)
    if (value.defined()) value = make_batched(value, 0, level);
  put_list(rets[ret], values.data(), int64_t(values.size()));
}

void BatchCall::set_result_to_self() const {
  refresh_batched(tensor(0));
  if (op.n_rets) put(rets[0], tensor(0));
}

void BatchCall::call_and_wrap(const Value* values) const {
  Results<8> results;
  check(op.n_rets <= 8, messages::has_too_many_results, op.schema.text);
  mt::call(op, values, results.values);
  if (op.form == Form::inplace) return set_result_to_self();
  for (int r = 0; r < op.n_rets; ++r) {
    Value& v = results.values[r];
    if (v.tag == MT_TAG_TENSOR) {
      set_result(r, take_tensor(v));
    } else if (holds_tensor_list(v)) {
      std::vector<Tensor> list;
      move_list_to(v, list);
      set_result_list(r, std::move(list));
    } else {
      check(v.tag == MT_TAG_NONE, messages::batching_rule_not_implemented, full_name(op));
      set_none(rets[r]);
    }
  }
}

void batch_dynamic(const BatchCall& c) {
  fail(
      "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over {}. Please file an issue at "
      "https://github.com/pytorch/pytorch/issues if you need this feature.",
      c.op.schema.ns + "::" + c.op.schema.name);
}

bool is_looped(const Operator& op) { return batch_rule_of(op) == batch_looped; }

void install_transforms() { set_fallback(Key::transforms, run_batched, nullptr); }

}  // namespace mt
