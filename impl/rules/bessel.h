// Modified Bessel functions of order 0 and 1 with what scales them, in double: Chebyshev fits of our own to 1e-17, from 60-digit values.
#pragma once

#include <cmath>

#include "rules/special.h"

namespace mt {
namespace bessel {

inline constexpr double k0_small[] = {
    -0.2676636966169514, 0.3442898999246285, 0.0359799365153615, 0.001264615411446926, 2.286212103119452e-05, 2.5347910790261494e-07,
    1.904516377220209e-09, 1.0349695257633625e-11, 4.2598161427910826e-14, 1.3744654358807508e-16, 3.5708965285083736e-19,
};
inline constexpr double k0_large[] = {
    1.2201515410329777, -0.0314481013119645, 0.0015698838857300533, -0.00012849549581627802, 1.39498137188765e-05,
    -1.8317555227191195e-06, 2.766813639445015e-07, -4.660489897687948e-08, 8.574034017414225e-09, -1.6975345093890614e-09,
    3.5773972814003283e-10, -7.957489244477396e-11, 1.8559491149549264e-11, -4.514597883374519e-12, 1.1403405882073441e-12,
    -2.9800969231481784e-13, 8.032890775068375e-14, -2.2275133267462965e-14, 6.340076476276646e-15, -1.848593377920907e-15,
    5.5120559994043335e-16, -1.6782311257549006e-16, 5.2103917776435543e-17, -1.6475805939842632e-17, 5.3004337711773354e-18,
    -1.7331712005821001e-18,
};
inline constexpr double k1_small[] = {
    0.7626501136694739, -0.3531559607765449, -0.12261118082265715, -0.006975723859639864, -0.0001730288957513052,
    -2.4334061415659684e-06, -2.213387630734726e-08, -1.4114883926335278e-10, -6.666901694199329e-13, -2.427449850519366e-15,
    -7.023863479386288e-18,
};
inline constexpr double k1_large[] = {
    1.3603130952422213, 0.10392373657681724, -0.002857816859622779, 0.00019521551847135162, -1.936197974166083e-05,
    2.406484947837217e-06, -3.5019606030878126e-07, 5.7410841254500495e-08, -1.0345762465678097e-08, 2.0150497551970347e-09,
    -4.1903547593419254e-10, 9.218315187605315e-11, -2.129967838427791e-11, 5.139639673482343e-12, -1.2891739609498229e-12,
    3.348419666052243e-13, -8.976705182010146e-14, 2.4771544242195988e-14, -7.0198370892147685e-15, 2.038703166239861e-15,
    -6.057047270643018e-16, 1.8380935752430455e-16, -5.689462849193648e-17, 1.7940510478863572e-17, -5.7567444820733025e-18,
    1.8778651901623268e-18,
};

}  // namespace bessel

// exp |x| may overflow where the product does not.
[[gnu::always_inline]] inline double bessel_i0(double x) {
  const double half = cpu::vec::exp(__builtin_fabs(x) / 2);
  return half * cpu::vec::bessel_i0e(x) * half;
}
[[gnu::always_inline]] inline double bessel_i1(double x) {
  const double half = cpu::vec::exp(__builtin_fabs(x) / 2);
  return half * cpu::vec::bessel_i1e(x) * half;
}
// exp(x) K_0(x) and exp(x) K_1(x): infinite at 0, NaN below.
inline double bessel_k0e(double x) {
  if (x == 0) return __builtin_inf();
  if (x < 0) return __builtin_nan("");
  if (x <= 2) return (chebyshev_sum(bessel::k0_small, x * x / 2 - 1) - std::log(x / 2) * bessel_i0(x)) * std::exp(x);
  return chebyshev_sum(bessel::k0_large, 4 / x - 1) / std::sqrt(x);
}
inline double bessel_k1e(double x) {
  if (x == 0) return __builtin_inf();
  if (x < 0) return __builtin_nan("");
  if (x <= 2) return (chebyshev_sum(bessel::k1_small, x * x / 2 - 1) / x + std::log(x / 2) * bessel_i1(x)) * std::exp(x);
  return chebyshev_sum(bessel::k1_large, 4 / x - 1) / std::sqrt(x);
}

}  // namespace mt
