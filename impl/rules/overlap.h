// What is written over elements that share memory, or over an argument.
#pragma once

#include "rules/rule.h"

namespace mt {

// Whether elements of `t` surely share memory: those of an expanded dimension.
bool overlaps_itself(const Tensor& t);
// Refuses a result that shares memory with an input, the whole of it included.
void check_no_overlap(const Tensor& result, const Tensor& input);
void check_no_overlap(const Tensor& result, TensorList inputs);
// Where `operation` is deprecated on expanded tensors, and `indexed` is how advanced indexing comes to it.
void warn_of_expanded(const Tensor& self, const char* operation, const char* indexed);

}  // namespace mt
