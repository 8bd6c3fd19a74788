// What the rules are made of by which operators map over a batch: `.batch` of a definition.
#pragma once

#include <vector>

#include "op.h"
#include "vmap/batched.h"

namespace mt {

// A call with batched arguments, at the level that is being mapped. Rules read values and write the results.
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

  // The value with the batch first; a tensor that is not batched here as it is.
  Tensor front(const Tensor& t) const;
  Tensor front(int arg) const { return front(tensor(arg)); }
  // The value with the batch first; a tensor that is not batched here repeated without a copy.
  Tensor expanded(const Tensor& t) const;
  Tensor expanded(int arg) const { return expanded(tensor(arg)); }
  // Likewise, with dimensions of size 1 put after the batch until it looks `rank`-dimensional. One that is not batched stays.
  Tensor padded(const Tensor& t, int64_t rank) const;

  // Results: values with the batch first.
  void give(int ret, Tensor value) const;
  void give_list(int ret, std::vector<Tensor> values) const;
  // The operator called with other arguments, its results being values with the batch first.
  void call_and_wrap(const Value* values) const;
  // The tensor that was written to, or that had its geometry changed.
  void give_self() const;
};

// ---- rules of families ----

void batch_aligned(const BatchCall& call);   // broadcasting from the last dimension, as pointwise operators do
void batch_leading(const BatchCall& call);   // all tensors take a further leading dimension, and give results with it
void batch_by_dims(const BatchCall& call);   // likewise, and arguments named dim, dims, dim0, ... move on by one
void batch_new_dim(const BatchCall& call);   // likewise, where the result has one dimension more
void batch_sized(const BatchCall& call);     // likewise; arguments named size or input_sizes begin with the batch
template <int Spatial>
void batch_images(const BatchCall& call);    // (N, C, spatial...): the batch becomes a part of N, or is N where there was none
void batch_looped(const BatchCall& call);    // slice by slice
// Raises torch's text where one tensor is written to for all slices.
void check_written_is_batched(const BatchCall& call, int arg, const char* name);
// For results whose shape depends on values.
[[noreturn]] void batch_dynamic(const BatchCall& call);

}  // namespace mt
