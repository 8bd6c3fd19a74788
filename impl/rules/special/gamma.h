// Functions related to gamma, in double: Hurwitz's zeta function and the incomplete gamma functions.
#pragma once

namespace mt {

// The sum of (q + k)^-s over k >= 0, continued to negative q for integer s.
double hurwitz_zeta(double s, double q);

// P(a, x), and Q(a, x) = 1 - P(a, x): summation stops when the terms are below `tolerance` times the sum.
double lower_regularized_gamma(double a, double x, double tolerance);
double upper_regularized_gamma(double a, double x, double tolerance);
// The tolerance for a T: a float's rounding error is 6e-8, and the omitted terms may exceed the last term several times.
template <class T>
inline constexpr double sum_tolerance = sizeof(T) == 4 ? 1e-9 : 1e-16;

}  // namespace mt
