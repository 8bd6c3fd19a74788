// Chains of pointwise calls run together, tile by tile: what one call gives the next does not go through memory.
#pragma once

#include "rules/pointwise_loops.h"

namespace mt {

// What a functional pointwise call would do: the loop, its operands, and the result's dtype.
struct PointwisePlan {
  const PointwiseKernel* kernel = nullptr;
  PointwiseLoop loop = nullptr;
  Dtype loop_dtype = Dtype::none;    // of what the loop reads
  Dtype stored_dtype = Dtype::none;  // of what it writes
  Dtype result_dtype = Dtype::none;
  int count = 0;
  Tensor inputs[max_pointwise_inputs];  // numbers as 0-dim tensors; shapes and dtypes alone are looked at
};
// False: the operator is not pointwise. May raise what the call itself would raise.
bool plan_pointwise(const Operator& op, const Value* args, PointwisePlan& plan);

// A call of a chain.
struct ChainLink {
  PointwisePlan plan;
  const TensorImpl* result = nullptr;  // stands for the result among the inputs of later links
  bool is_kept = true;                 // somebody else refers to the result
  Tensor out;                          // written where it is kept
};
// Whether a call whose result will look like `result` can be a link: dense operands of one shape, or single numbers.
bool can_chain(const PointwisePlan& plan, const TensorImpl& result);
// Makes and fills `out` of the links that are kept. All results have one shape.
void run_chain(ChainLink* links, int64_t count);

}  // namespace mt
