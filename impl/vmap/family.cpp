// Rules that an operator gets from its family: derived from its kernel, and from names and types in its schema.
#include <string_view>
#include <unordered_map>

#include "core/exception.h"
#include "definition/definition.h"
#include "dispatch/tensor_args.h"
#include "rules/pointwise/pointwise.h"
#include "vmap/call.h"

namespace mt {
namespace {

// A call's arguments with tensors replaced; owns what the values refer to.
struct Replaced {
  std::vector<Value> args;
  std::vector<Tensor> singles;
  std::vector<std::vector<Tensor>> lists;
  std::vector<Dims> ints;

  explicit Replaced(const BatchCall& c) : args(c.args, c.args + c.op.n_args), singles(args.size()), lists(args.size()), ints(args.size()) {}

  void replace_argument(int i, Tensor t) {
    singles[size_t(i)] = std::move(t);
    args[size_t(i)] = box(singles[size_t(i)]);
  }
  void replace_argument(int i, Dims list) {
    ints[size_t(i)] = std::move(list);
    args[size_t(i)] = box(ints[size_t(i)]);
  }
  template <class F>
  void map_tensors(const BatchCall& c, F&& f) {
    for (int8_t i : c.op.tensor_args) {
      if (c.args[i].tag == MT_TAG_TENSOR) replace_argument(i, f(c.tensor(i)));
      if (!holds_tensor_list(c.args[i])) continue;
      std::vector<Tensor>& list = lists[size_t(i)];
      for (const Tensor& t : Unbox<TensorList>::from(c.args[i])) list.push_back(t.defined() ? f(t) : t);
      args[size_t(i)] = list_value(c.args[i].tag, list.data(), int64_t(list.size()));
    }
  }
};

// Rank of the first tensor as the caller sees it; for a view's gradient, the rank of the viewed tensor.
int64_t rank_of(const BatchCall& c) {
  if (const int viewed = c.op.schema.index_of("input_sizes"); viewed >= 0) return c.ints(viewed).size();
  for (int8_t i : c.op.tensor_args) {
    if (c.args[i].tag == MT_TAG_TENSOR) return c.tensor(i).dim();
    if (!holds_tensor_list(c.args[i])) continue;
    int64_t rank = 0;
    for (const Tensor& t : Unbox<TensorList>::from(c.args[i])) rank = std::max(rank, t.defined() ? t.dim() : 0);
    return rank;
  }
  return 0;
}

bool is_dim_argument_name(std::string_view name) {
  for (const char* known : {"dim", "dims", "dim0", "dim1", "dim2", "dimension", "axis0", "axis1"})
    if (name == known) return true;
  return false;
}
bool is_size_argument_name(std::string_view name) { return name == "size" || name == "input_sizes"; }

// Whether the tensor that the operator writes, if any, is batched. An unbatched one would only keep the values of the mapped dimension's
// last index.
bool can_write(const BatchCall& c) { return !c.op.schema.mutates || c.batch(0); }

// In type promotion a batched 0-dim tensor must behave as 0-dim, but its value has a batch dimension: convert it first.
Tensor convert_batched_scalar(const BatchCall& c, const Tensor& t, Tensor value, Dtype common, bool any_dims) {
  const bool takes_common_dtype = c.batch(t) && t.dim() == 0 && any_dims && t.dtype() != common && is_floating(t.dtype()) &&
                                  is_floating(common);
  return takes_common_dtype ? op<"_to_copy">(value, common) : value;
}

void call_with_shifted_dims(const BatchCall& c, int64_t rank_for_dims) {
  if (!can_write(c)) return batch_looped(c);
  Replaced r(c);
  for (int i = 0; i < c.op.n_args; ++i) {
    const Argument& a = c.op.schema.args[size_t(i)];
    if (a.type == ArgType::integer && is_dim_argument_name(a.name) && c.has(i))
      r.args[size_t(i)] = box(wrap_dim(c.integer(i), rank_for_dims) + 1);
    else if (a.type == ArgType::ints && is_dim_argument_name(a.name) && c.has(i)) {
      Dims dims;
      for (int64_t d : c.ints(i)) dims.push_back(wrap_dim(d, rank_for_dims) + 1);
      r.replace_argument(i, dims);
    } else if (a.type == ArgType::ints && is_size_argument_name(a.name) && c.has(i)) {
      Dims sizes{c.size};
      for (int64_t s : c.ints(i)) sizes.push_back(s);
      r.replace_argument(i, sizes);
    }
  }
  r.map_tensors(c, [&](const Tensor& t) { return c.expanded(t); });
  c.call_and_wrap(r.args.data());
}

int dims_argument(const Schema& s) {
  for (size_t i = 0; i < s.args.size(); ++i)
    if (is_dim_argument_name(s.args[i].name) && (s.args[i].type == ArgType::integer || s.args[i].type == ArgType::ints)) return int(i);
  return -1;
}

// Flattens all dimensions but the mapped one.
Tensor flatten_unmapped_dims(const BatchCall& c) { return op<"reshape">(c.front(0), IntList{c.size, c.tensor(0).numel()}); }

// Handles reductions with a dim argument: an absent or empty one means all dimensions but the mapped one.
void batch_reduction(const BatchCall& c) {
  const int at = dims_argument(c.op.schema);
  const int keep = c.op.schema.index_of("keepdim");
  const Argument& a = c.op.schema.args[size_t(at)];
  const int64_t rank = c.tensor(0).dim();
  const bool all = !c.has(at) || (a.type == ArgType::ints && c.ints(at).empty());
  if (!all && rank) return call_with_shifted_dims(c, rank);
  if (!all) {
    if (a.type == ArgType::integer)
      wrap_dim(c.integer(at), 0);
    else
      for (int64_t d : c.ints(at)) wrap_dim(d, 0);
  }
  Replaced r(c);
  r.replace_argument(0, flatten_unmapped_dims(c));
  if (a.type == ArgType::ints)
    r.replace_argument(at, Dims{1});
  else
    r.args[size_t(at)] = box(1);
  const bool keepdim = keep >= 0 && c.args[keep].as.i;
  if (keep >= 0) r.args[size_t(keep)] = box(false);
  c.call_and_wrap(r.args.data());
  if (!keepdim) return;
  Dims ones(rank, 1);
  for (int i = 0; i < c.op.n_rets; ++i) {
    if (c.rets[i].tag != MT_TAG_TENSOR) continue;
    const Tensor result = take_tensor(c.rets[i]);
    Dims sizes{c.size};
    for (int64_t s : ones) sizes.push_back(s);
    c.set_result(i, op<"view">(as_batch(result)->value, sizes));
  }
}

// Finds the overload with a dim argument for a full reduction such as sum(): vmap calls it on a tensor whose unmapped dimensions are
// flattened.
const Operator* find_overload_with_dim(const Operator& op) {
  if (op.tensor_args.size() != 1 || op.tensor_args[0] != 0) return nullptr;
  for (const Operator* other : overloads_of(op.schema.name.c_str())) {
    const Schema& s = other->schema;
    if (other->form != Form::functional || other == &op || s.args.size() < 2 || s.args[1].name != "dim") continue;
    if (s.args[0].type == ArgType::tensor && (s.args[1].type == ArgType::integer || s.args[1].type == ArgType::ints)) return other;
  }
  return nullptr;
}
void batch_full_reduction(const BatchCall& c) {
  const Operator& by_dim = *find_overload_with_dim(c.op);
  const Schema& s = by_dim.schema;
  const Tensor flat = flatten_unmapped_dims(c);
  const Dims one{1};
  std::vector<Value> args;
  for (const Argument& a : s.args) {
    const int same = c.op.schema.index_of(a.name.c_str());
    if (a.name == "dim")
      args.push_back(a.type == ArgType::ints ? box(one) : box(1));
    else if (a.name == "self")
      args.push_back(box(flat));
    else
      args.push_back(same >= 0 ? c.args[same] : default_value());
  }
  Results<8> results;
  call_checked(by_dim, args.data(), int64_t(args.size()), results.values);
  c.set_result(0, take_tensor(results.values[0]));
}

// Computes a loss without its reduction, then reduces over all dimensions but the mapped one.
void batch_reduced_loss(const BatchCall& c) {
  const int at = c.op.schema.index_of("reduction");
  const int64_t reduction = c.integer(at);
  if (reduction == 0) return batch_aligned(c);
  std::vector<Value> args(c.args, c.args + c.op.n_args);
  args[size_t(at)] = box(0);
  Results<1> losses;
  batch_aligned(BatchCall(c.op, args.data(), losses.values, c.level, c.size));
  const Tensor whole = take_tensor(losses.values[0]);
  const Tensor flat = op<"reshape">(as_batch(whole)->value, IntList{c.size, whole.numel()});
  c.set_result(0, reduction == 1 ? op<"mean.dim">(flat, IntList{1}) : op<"sum.dim_IntList">(flat, IntList{1}));
}

// Whether the operator has an element-wise kernel, fixed or chosen by the arguments.
bool is_pointwise(const Operator& op) {
  const CpuKernel& kernel = field(op, &OpDef::cpu);
  return kernel.pointwise || (kernel.fn && kernel.fn == choose(nullptr).fn);
}

BatchRule derive_rule(const Operator& op) {
  const Operator& functional = *op.functional;
  if (!functional.def || op.tensor_args.empty()) return batch_looped;
  const Schema& s = functional.schema;
  if (is_pointwise(functional)) {
    if (s.index_of("reduction") < 0) return batch_aligned;
    return s.index_of("grad_output") < 0 ? batch_reduced_loss : batch_looped;
  }
  const int dims = dims_argument(s);
  const bool one_tensor = op.tensor_args.size() == 1 && op.tensor_args[0] == 0 && s.args[0].type == ArgType::tensor;
  if (dims >= 0 && one_tensor && s.index_of("keepdim") >= 0) return batch_reduction;
  if (dims >= 0 && !s.args[size_t(dims)].optional) return batch_by_dims;
  if (dims < 0 && one_tensor && s.overload.empty() && find_overload_with_dim(functional)) return batch_full_reduction;
  return batch_looped;
}

}  // namespace

void batch_aligned(const BatchCall& c) {
  int64_t rank = 0;
  bool any_dims = false;
  std::vector<Tensor> given;
  for (int8_t i : c.op.tensor_args) {
    if (c.args[i].tag != MT_TAG_TENSOR) continue;
    given.push_back(c.tensor(i));
    rank = std::max(rank, given.back().dim());
    any_dims |= given.back().dim() > 0;
  }
  const Dtype common = given.size() > 1 ? result_type(given.data(), int64_t(given.size())) : Dtype::none;
  Replaced r(c);
  for (int8_t i : c.op.tensor_args) {
    if (c.args[i].tag != MT_TAG_TENSOR) continue;
    const Tensor& t = c.tensor(i);
    const bool is_written = c.op.schema.args[size_t(i)].mutated;
    Tensor value = is_written ? c.front(t) : c.padded(t, rank);
    if (!is_written && given.size() > 1) value = convert_batched_scalar(c, t, std::move(value), common, any_dims);
    r.replace_argument(i, std::move(value));
  }
  c.call_and_wrap(r.args.data());
}

void batch_leading(const BatchCall& c) {
  bool names_format = false;  // channels last requires four or five dimensions
  for (int i = 0; i < c.op.n_args; ++i) names_format |= c.args[i].tag == MT_TAG_MEMORY_FORMAT && c.args[i].as.i >= MT_CHANNELS_LAST;
  if (!can_write(c) || names_format) return batch_looped(c);
  Replaced r(c);
  r.map_tensors(c, [&](const Tensor& t) { return c.expanded(t); });
  c.call_and_wrap(r.args.data());
}

void batch_by_dims(const BatchCall& c) {
  const int64_t rank = rank_of(c);
  const int at = dims_argument(c.op.schema);
  // Calls the operator once per index of the mapped dimension if the tensor has no other dimension, or if an empty dim list means a
  // reduction of all dimensions.
  const bool none = at >= 0 && c.op.schema.args[size_t(at)].type == ArgType::ints && c.ints(at).empty();
  if (rank == 0 || none) return batch_looped(c);
  call_with_shifted_dims(c, rank);
}

void batch_new_dim(const BatchCall& c) { call_with_shifted_dims(c, rank_of(c) + 1); }
void batch_sized(const BatchCall& c) { call_with_shifted_dims(c, rank_of(c)); }

template <int Spatial>
void batch_images(const BatchCall& c) {
  for (int8_t i : c.op.tensor_args)
    if (i > 0 && c.batch(i)) return batch_looped(c);
  const int64_t rank = c.tensor(0).dim();
  if (!c.batch(0) || c.op.schema.mutates || c.size == 0 || (rank != Spatial + 1 && rank != Spatial + 2)) return batch_looped(c);
  Replaced r(c);
  const Tensor value = c.front(0);
  if (rank == Spatial + 1) {
    r.replace_argument(0, value);
    return c.call_and_wrap(r.args.data());
  }
  r.replace_argument(0, op<"flatten.using_ints">(value, 0, 1));
  Results<8> results;
  call(c.op, r.args.data(), results.values);
  for (int i = 0; i < c.op.n_rets; ++i) {
    const Tensor result = take_tensor(results.values[i]);
    Dims sizes{c.size, result.size(0) / c.size};
    for (int64_t d = 1; d < result.dim(); ++d) sizes.push_back(result.size(d));
    c.set_result(i, op<"view">(result, sizes));
  }
}
template void batch_images<1>(const BatchCall&);
template void batch_images<2>(const BatchCall&);
template void batch_images<3>(const BatchCall&);

bool handles_inplace_forms(BatchRule rule) {
  for (BatchRule own : {&batch_aligned, &batch_leading, &batch_by_dims, &batch_new_dim, &batch_looped})
    if (rule == own) return true;
  return false;
}

BatchRule family_rule(const Operator& op) {
  static const auto* known = [] {  // for the library's own operators, whose list does not change
    auto* all = new std::unordered_map<const Operator*, BatchRule>();
    const Operator* o;
    for (int64_t i = 0; (o = operator_at(i)); ++i)
      if (o->def) all->emplace(o, derive_rule(*o));
    return all;
  }();
  auto found = known->find(&op);
  return found == known->end() ? batch_looped : found->second;
}

}  // namespace mt
