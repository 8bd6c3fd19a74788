// Pointwise operators of two tensors, where one or both are tensors of coordinates. Each is a kernel in every form (`call.op.form`).
#pragma once

#include "rules/sparse.h"

namespace mt {

// add and sub: self + alpha * other.
Tensor sparse_sum(const Call& call, const Scalar& alpha);
// mul.
Tensor sparse_product(const Call& call);
// div and floor_divide by one number: `quotient` gives that of two tensors. Rounded quotients are of coalesced tensors.
Tensor sparse_quotient(const Call& call, const char* name, bool rounded,
                       Tensor (*quotient)(const Call& call, const Tensor& values, const Tensor& divisor));

// The tensor that an in-place or out= form writes; undefined otherwise.
const Tensor& written_by(const Call& call);
// Refuses an out= that is not sparse.
void check_sparse_out(const Call& call);

}  // namespace mt
