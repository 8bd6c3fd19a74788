// The profiler's handler, above all keys: records a call and dispatches it further.
#include "layers/profiler.h"

#include "autograd/profile.h"
#include "dispatch/profiled_inputs.h"
#include "dispatch/user.h"

namespace mt {
namespace {

constexpr Key key = Key(key_count);

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

}  // namespace

int64_t begin_call(const char* name, const Value* args, int n) {
  const int64_t token = begin_range(MT_PROFILE_OPERATOR, nullptr, name, sequence_of_call());
  if (records_shapes()) record_inputs(args, n);
  return token;
}

void install_profiler() { set_fallback(key, record_call, nullptr); }

}  // namespace mt
