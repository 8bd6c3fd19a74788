// Pointwise operators of two tensors, at least one of them sparse_coo. Each function is a kernel for every form (`call.op.form`).
#pragma once

#include "rules/sparse/sparse.h"

namespace mt {

// add and sub: self + alpha * other.
Tensor sparse_sum(const Call& call, const Scalar& alpha);
// mul.
Tensor sparse_product(const Call& call);
// div and floor_divide by a number: `quotient` divides two tensors. Rounded quotients need a coalesced tensor.
Tensor sparse_quotient(const Call& call, const char* name, bool rounded,
                       Tensor (*quotient)(const Call& call, const Tensor& values, const Tensor& divisor));

// The tensor that an in-place or out= form writes; undefined for the functional form.
const Tensor& target_of_call(const Call& call);
// Refuses an out= that is not sparse.
void check_sparse_out(const Call& call);

}  // namespace mt
