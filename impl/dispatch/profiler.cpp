// The profiler's handler, above all keys: records a call and dispatches it further.
#include "dispatch/profiler.h"

#include <cstring>

#include "autograd/node.h"
#include "dispatch/user.h"

namespace mt {
namespace {

constexpr Key key = Key(key_count);

void record_tensor_input(Profile& p, const Tensor& t, int32_t tag) {
  mt_profile_input input{Value{tag, 0, {}}, 0, -1, nullptr, nullptr};
  if (t.defined()) {
    input.dtype = int32_t(t.dtype());
    input.ndim = int32_t(t.dim());
    input.sizes = reinterpret_cast<const int64_t*>(p.dims.size());
    for (IntList list : {t.sizes(), t.strides()}) p.dims.insert(p.dims.end(), list.begin(), list.end());
  }
  p.inputs.push_back(input);
}

bool is_number(int32_t tag) { return (tag >= MT_TAG_BOOL && tag <= MT_TAG_MEMORY_FORMAT) || (tag >= MT_TAG_INTS && tag <= MT_TAG_BOOLS); }

void record_inputs(const Value* args, int n) {
  Profile& p = *profile_thread.profile;
  for (int i = 0; i < n; ++i) {
    const Value& v = args[i];
    if (v.tag == MT_TAG_TENSOR) {
      record_tensor_input(p, Unbox<Tensor>::from(v), MT_TAG_NONE);
    } else if (v.tag == MT_TAG_TENSORS) {
      const TensorList list = Unbox<TensorList>::from(v);
      p.inputs.push_back({int_value(MT_TAG_TENSORS, list.size()), 0, -1, nullptr, nullptr});
      for (const Tensor& t : list) record_tensor_input(p, t, MT_TAG_TENSORS);
    } else {
      p.inputs.push_back({is_number(v.tag) ? own(v) : none_value(), 0, -1, nullptr, nullptr});
    }
  }
  open_range().seen.n_inputs = n;
}

// Queries that torch answers without an operator call.
bool is_flag_query(const Operator& op) {
  if (op.n_rets != 1 || op.schema.returns[0].type != ArgType::boolean) return false;
  for (const char* name : {"is_complex", "is_floating_point", "is_signed", "is_conj", "is_neg"})
    if (op.schema.name == name) return true;
  return false;
}

// The call of a pending tensor is recorded when it runs.
void record_call(const Call& c, const void*) {
  if (c.keys & key_bit(Key::pipeline) || is_flag_query(c.op)) return redispatch_below(c, key);
  bool may_record = false;
  if (c.op.composite || handled_keys(c.op) & key_bit(Key::autograd))
    for (int8_t i : c.op.tensor_args) may_record |= c.args[i].tag != MT_TAG_TENSOR || !Unbox<Tensor>::from(c.args[i])->inference;
  OpenRange range(begin_range(MT_PROFILE_OPERATOR, &c.op, {}, may_record ? sequence_of_call() : -1));
  if (records_shapes()) record_inputs(c.args, c.op.n_args);
  redispatch_below(c, key);
}

std::string full_name(const Node& node) {
  for (const char* own : {"AccumulateGrad", "CopySlices", "CopyBackwards"})
    if (!std::strcmp(node.name, own)) return std::string("torch::autograd::") + own;
  return node.name;
}

int64_t begin_event(int32_t kind, const Node& node, std::string name) {
  return begin_range(kind, nullptr, std::move(name), int64_t(node.sequence_nr), node.variable() ? 0 : node.thread);
}

}  // namespace

Profile::~Profile() {
  for (mt_profile_input& input : inputs)
    if (input.value.flags & MT_FLAG_OWNED) clear(input.value);
}

int64_t sequence_of_call() {
  return thread_state.grad_mode && !(thread_state.excluded & key_bit(Key::autograd)) ? int64_t(peek_sequence_nr()) : -1;
}

int64_t begin_call(const char* name, const Value* args, int n) {
  const int64_t token = begin_range(MT_PROFILE_OPERATOR, nullptr, name, sequence_of_call());
  if (records_shapes()) record_inputs(args, n);
  return token;
}

int64_t begin_backward_step(const Node& node) {
  return begin_event(MT_PROFILE_OPERATOR, node, "autograd::engine::evaluate_function: " + full_name(node));
}

int64_t begin_node(const Node& node, const Tensor* grads) {
  const int64_t token = begin_event(MT_PROFILE_BACKWARD, node, full_name(node));
  if (records_shapes()) {
    Profile& p = *profile_thread.profile;
    for (int i = 0; i < node.n_inputs; ++i) record_tensor_input(p, grads[i], MT_TAG_NONE);
    open_range().seen.n_inputs = node.n_inputs;
  }
  return token;
}

void install_profiler() { set_fallback(key, record_call, nullptr); }

}  // namespace mt
