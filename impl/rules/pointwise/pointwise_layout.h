// Strides of results of pointwise operators that differ from those that the operands imply.
#pragma once

#include "rules/pointwise/pointwise.h"

namespace mt {

enum class ResultLayout : int8_t {
  of_operands,  // the operands' common order of dimensions
  of_first,     // empty_like the first tensor, with exactly its strides
  in_rows,      // contiguous
  of_swapped,   // as of_operands, with the second operand first
};
const Rule* pointwise_with_layout(ResultLayout layout, PointwiseOptions options = promoting);

// For operators that run loops themselves: a result of the inputs' broadcast shape, in their common order of dimensions.
Tensor empty_result_of(const Tensor* inputs, int n, Dtype dtype, Device device);
void add_result_of(Specs& out, const Tensor* inputs, int n, Dtype dtype);  // adds such a result to a rule's specs

}  // namespace mt
