// Writes to tensors that overlap themselves or an argument.
#pragma once

#include "rules/form/rule.h"

namespace mt {

// Whether elements of `t` certainly share memory: it has an expanded dimension.
bool overlaps_itself(const Tensor& t);
// Refuses a result that overlaps an input, also if they coincide.
void check_no_overlap(const Tensor& result, const Tensor& input);
void check_no_overlap(const Tensor& result, TensorList inputs);
// Warns that `operation` on an expanded tensor is deprecated; `indexed` names the advanced indexing that called the operation.
void warn_of_expanded(const Tensor& self, const char* operation, const char* indexed);

}  // namespace mt
