// Runs chains of pointwise calls tile by tile: intermediate results do not go through memory.
#pragma once

#include "rules/pointwise/pointwise_loops.h"

namespace mt {

// What a functional pointwise call would run: the loop, its operands, and the result's dtype.
struct PointwisePlan {
  const PointwiseKernel* kernel = nullptr;
  PointwiseLoop loop = nullptr;
  Dtype loop_dtype = Dtype::none;    // that the loop reads
  Dtype stored_dtype = Dtype::none;  // that the result has
  Dtype result_dtype = Dtype::none;
  int count = 0;
  Tensor inputs[max_pointwise_inputs];  // numbers as 0-dim tensors; only shapes and dtypes are read
};
// Returns false if the operator is not pointwise. Raises whatever the call itself would raise.
bool plan_pointwise(const Operator& op, const Value* args, PointwisePlan& plan);

// A call of a chain.
struct ChainLink {
  PointwisePlan plan;
  const TensorImpl* result = nullptr;  // represents the result among the inputs of later links
  bool is_kept = true;                 // the result is referenced elsewhere
  Tensor out;                          // set if the result is kept
};
// Whether a call with a result like `result` can be a link: dense operands of one shape, or single numbers.
bool can_chain(const PointwisePlan& plan, const TensorImpl& result);
// Allocates and computes `out` of the links that are kept. All results have one shape.
void run_chain(ChainLink* links, int64_t count);

}  // namespace mt
