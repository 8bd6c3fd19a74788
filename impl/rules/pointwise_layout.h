// Pointwise operators whose result is not laid out as the loops' operands would have it.
#pragma once

#include "rules/pointwise.h"

namespace mt {

enum class ResultLayout : int8_t {
  of_operands,  // the order of dimensions that the operands have in common
  of_first,     // empty_like the first tensor, whose strides it keeps to the last one
  in_rows,      // contiguous
  of_swapped,   // as of_operands, where the second operand comes first
};
const Rule* pointwise_with_layout(ResultLayout layout, PointwiseOptions options = promoting);

// For operators that run loops themselves: a result of the inputs' broadcast shape, in the order of dimensions that they have in common.
Tensor empty_result_of(const Tensor* inputs, int n, Dtype dtype, Device device);
void add_result_of(Specs& out, const Tensor* inputs, int n, Dtype dtype);  // the same for a rule

}  // namespace mt
