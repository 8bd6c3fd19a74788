// Shared by the norms of vectors and matrices: error messages, and the derivative of a p-norm.
#pragma once

#include <string>

#include "rules/linalg/linalg.h"

namespace mt {

// A number as torch prints it in an error message: "3", "2.5", "inf".
std::string number_text(const Scalar& number);
// Checks the dtype= of a norm: floating, complex exactly if the input is, and not narrower.
void check_norm_dtype(const char* name, Dtype dtype, Dtype input);
// x |x|^(p-2) / y^(p-1) times g, where y is the p-norm of x over `dim`; zero where the norm is zero.
Tensor norm_gradient(const Tensor& g, const Tensor& x, double p, std::optional<IntList> dim, bool keepdim, const Tensor& y);

}  // namespace mt
