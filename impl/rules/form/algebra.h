// Arithmetic on tensors for derivative formulas and composites: each C++ operator calls the operator of that name.
#pragma once

#include "definition/op.h"

namespace mt {

inline Tensor operator+(const Tensor& a, const Tensor& b) { return op<"add">(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return op<"sub">(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return op<"mul">(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return op<"div">(a, b); }
inline Tensor operator+(const Tensor& a, const Scalar& b) { return op<"add">(a, b); }
inline Tensor operator-(const Tensor& a, const Scalar& b) { return op<"sub">(a, b); }
inline Tensor operator*(const Tensor& a, const Scalar& b) { return op<"mul">(a, b); }
inline Tensor operator/(const Tensor& a, const Scalar& b) { return op<"div">(a, b); }
inline Tensor operator+(const Scalar& a, const Tensor& b) { return op<"add">(b, a); }
inline Tensor operator-(const Scalar& a, const Tensor& b) { return op<"rsub">(b, a); }
inline Tensor operator*(const Scalar& a, const Tensor& b) { return op<"mul">(b, a); }
inline Tensor operator/(const Scalar& a, const Tensor& b) { return op<"mul">(op<"reciprocal">(b), a); }
inline Tensor operator-(const Tensor& a) { return op<"neg">(a); }
// The conjugate; a real tensor is returned unchanged.
inline Tensor conj(const Tensor& a) { return a.defined() && is_complex(a.dtype()) ? op<"conj">(a) : a; }
// The sum, where either may be undefined.
inline Tensor sum_of_defined(const Tensor& a, const Tensor& b) { return !a.defined() ? b : b.defined() ? a + b : a; }
// Zero where the condition is false: keeps NaN of the other branch out of the gradient.
inline Tensor zero_where_false(const Tensor& condition, const Tensor& value) { return op<"where">(condition, value, 0); }

}  // namespace mt
