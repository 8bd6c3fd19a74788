// Functions about the gamma function, in double: Hurwitz's zeta function and the incomplete gamma functions.
#pragma once

namespace mt {

// The sum of (q + k)^-s over k >= 0, continued to q below zero for whole s.
double hurwitz_zeta(double s, double q);

// P(a, x), and Q(a, x) = 1 - P(a, x): sums end where what is left is below `tolerance` of them.
double lower_regularized_gamma(double a, double x, double tolerance);
double upper_regularized_gamma(double a, double x, double tolerance);
// What a T needs of it: a float's rounding takes 6e-8, and what is left may be some times what ended the sum.
template <class T>
inline constexpr double sum_tolerance = sizeof(T) == 4 ? 1e-9 : 1e-16;

}  // namespace mt
