// Batching rules that an operator's definition can name as `.batch`, and the call object that rules work on.
#pragma once

#include <vector>

#include "definition/op.h"
#include "vmap/batched.h"

namespace mt {

// A call with batched arguments at the level being processed. Rules read values and write the results.
class BatchCall {
 public:
  BatchCall(const Operator& o, const Value* a, Value* r, int64_t l, int64_t s) : op(o), args(a), rets(r), level(l), size(s) {}

  const Operator& op;
  const Value* const args;
  Value* const rets;
  const int64_t level, size;

  const Batch* batch(const Tensor& t) const {
    const Batch* b = as_batch(t);
    return b && b->level == level ? b : nullptr;
  }
  const Batch* batch(int arg) const { return batch(tensor(arg)); }
  const Tensor& tensor(int arg) const;                  // undefined for None
  int64_t integer(int arg) const { return args[arg].as.i; }
  IntList ints(int arg) const { return Unbox<IntList>::from(args[arg]); }
  bool has(int arg) const { return args[arg].tag != MT_TAG_NONE; }

  // The value of a batched tensor with the mapped dimension first; an unbatched tensor is returned as it is.
  Tensor front(const Tensor& t) const;
  Tensor front(int arg) const { return front(tensor(arg)); }
  // The value of a batched tensor with the mapped dimension first; an unbatched tensor is expanded along a new first dimension.
  Tensor expanded(const Tensor& t) const;
  Tensor expanded(int arg) const { return expanded(tensor(arg)); }
  // As front(), with dimensions of size 1 inserted after the mapped one so that the other dimensions number `rank`. An unbatched tensor is
  // returned as it is.
  Tensor padded(const Tensor& t, int64_t rank) const;

  // Sets results from values that have the mapped dimension first.
  void set_result(int ret, Tensor value) const;
  void set_result_list(int ret, std::vector<Tensor> values) const;
  // Calls the operator with other arguments, and wraps its results, whose first dimension is the mapped one.
  void call_and_wrap(const Value* values) const;
  // Sets the result to the tensor that the operator wrote to, or whose geometry it changed.
  void set_result_to_self() const;
};

// ---- rules of families ----

void batch_aligned(const BatchCall& call);   // broadcasts from the last dimension, as pointwise operators do
void batch_leading(const BatchCall& call);   // all tensors accept one more leading dimension, and so do the results
void batch_by_dims(const BatchCall& call);   // as batch_leading, and arguments named dim, dims, dim0, ... are shifted by one
void batch_new_dim(const BatchCall& call);   // as batch_by_dims, for a result with one more dimension
void batch_sized(const BatchCall& call);     // as batch_leading; arguments named size or input_sizes get the batch size in front
template <int Spatial>
void batch_images(const BatchCall& call);    // (N, C, spatial...): folds the batch into N, or uses it as N if there is none
void batch_looped(const BatchCall& call);    // one call per index of the mapped dimension
// Raises torch's error if `arg` is written but not batched.
void check_written_is_batched(const BatchCall& call, int arg, const char* name);
// Raises: vmap does not support results whose shape depends on values.
[[noreturn]] void batch_dynamic(const BatchCall& call);

}  // namespace mt
