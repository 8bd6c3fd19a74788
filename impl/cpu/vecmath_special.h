// Special functions of doubles, each compiled once for one number and for vectors of them: written out in every loop they would be
// the longest code of the library. Called as the functions of doubles in vecmath.h are.
#pragma once

#include <cstddef>
#include <type_traits>

#include "vecmath_more.h"

#if !defined(MT_DEFINES_SPECIAL_CALLS)
#define MT_SPECIAL_CALL MT_VECTOR_CALL
#else
#define MT_SPECIAL_CALL extern "C" __attribute__((const, nothrow, visibility("hidden")))
#endif
MT_SPECIAL_CALL double mt_vec_bessel_i0e(double);
MT_SPECIAL_CALL double mt_vec_bessel_i1e(double);
MT_SPECIAL_CALL double mt_vec_bessel_j0(double);
MT_SPECIAL_CALL double mt_vec_inverse_erf(double, double);
#undef MT_SPECIAL_CALL

namespace mt::cpu::vec {

#define MT_VEC __attribute__((always_inline)) inline

namespace detail {
template <size_t K, size_t N>
MT_VEC void chebyshev_steps(const double (&c)[N], double twice, double& a, double& b) {
  if constexpr (K > 0) {
    const double next = c[K] + twice * a - b;
    b = a;
    a = next;
    chebyshev_steps<K - 1>(c, twice, a, b);
  }
}
}  // namespace detail

// The first terms of chebyshev_sum.
template <size_t Terms, size_t N>
MT_VEC double chebyshev_head(const double (&c)[N], double t) {
  double a = 0, b = 0;
  detail::chebyshev_steps<Terms - 1>(c, 2 * t, a, b);
  return c[0] + t * a - b;
}
// sum of c[k] T_k(t) for t in [-1, 1] (C. Clenshaw, 1955). Written out, so that a loop over it vectorises.
template <size_t N>
MT_VEC double chebyshev_sum(const double (&c)[N], double t) {
  return chebyshev_head<N>(c, t);
}


namespace detail {

// erfinv(x) / x as a function of w = -log(1 - x^2): in w up to 6, in sqrt(w) up to 5, then in 1 / sqrt(w), divided by sqrt(w);
// coefficients of our own, from 50-digit values.
inline constexpr double inverse_erf_small[] = {
    1.6032187843614276, 0.7065114598352629, -0.018563518253529174, -0.006322936481916675, 0.0017152748065213783,
    -0.00010090171263236434, -4.472783685679211e-05, 1.1536323222418791e-05, -2.1707108033382995e-07, -4.1754298203284093e-07,
    7.78699623588968e-08, 3.872092257424227e-09, -3.777038640094083e-09, 4.6386529158896234e-10, 7.770143484817043e-11,
    -3.174763383548652e-11, 2.0231645192233355e-12, 9.765600091051987e-13, -2.4425065566813935e-13, -3.3311728365333843e-16,
    1.0213858321281266e-14, -1.6679796813597045e-15, -1.519620539702162e-16, 9.487880520881664e-17,
};
inline constexpr double inverse_erf_middle[] = {
    3.5646889314773973, 1.283115522145889, 0.0030235828573132533, -0.001225774967148018, 0.0004074000579587356,
    -0.0001373400424763089, 4.3650641459603144e-05, -1.1470024702645132e-05, 2.000466045933262e-06, -1.2636384696155905e-10,
    -1.4769135616727383e-07, 5.665445963566875e-08, -1.0404974312573243e-08, -1.6661987748269203e-10, 7.277776136373608e-10,
    -2.2614553857197736e-10, 2.8060711686499913e-11, 4.2765968259508404e-12, -2.8387785179164397e-12, 6.253239198510454e-13,
    -4.193785475527176e-14, -1.8463323146571416e-14, 7.701369650258032e-15, -1.5192859696641447e-15, 1.0949507237507943e-16,
    4.280945174754074e-17,
};
inline constexpr double inverse_erf_tail[] = {
    0.9849275186962524, -0.014158122994749561, -0.0009724214274927725, 0.00020193290394208857, -2.01278922456699e-05,
    2.9909928960115716e-06, -5.993219550838411e-07, 1.3599436997612334e-07, -3.3648879884994446e-08, 8.905900923918824e-09,
    -2.4808029857370708e-09, 7.193373096438713e-10, -2.1530415953919998e-10, 6.620623196346146e-11, -2.0791211149158686e-11,
    6.662082204802879e-12, -2.165376158945803e-12, 7.150829415226716e-13, -2.386628943002524e-13, 8.058582126066297e-14,
    -2.7483409730116032e-14, 9.440281935146404e-15, -3.27421555792052e-15, 1.1421124379755732e-15, -4.0088149643594777e-16,
    1.417749711659269e-16, -5.0301432135547334e-17, 1.795216400049589e-17,
};

// x times erfinv(x) / x where 1 - x^2 is `complement` and w = -log of that, by so many terms of each fit.
template <size_t Small, size_t Middle, size_t Tail>
MT_VEC double inverse_erf_of(double x, double complement, double w) {
  const double root = std::sqrt(w < 6 ? 6 : w > 756 ? 756 : w), near = root > 5 ? 5 : root, far = root < 5 ? 5 : root;
  const double small = chebyshev_head<Small>(inverse_erf_small, (w > 6 ? 6 : w) / 3 - 1);
  const double middle = chebyshev_head<Middle>(inverse_erf_middle, (near - 3.7247448713915890) / 1.2752551286084110);
  const double tail = chebyshev_head<Tail>(inverse_erf_tail, (1 / far - 0.11818181818181818) / 0.08181818181818182) * far;
  const double ratio = select(w <= 6, small, select(w <= 25, middle, tail));
  const double inside = select(complement > 0, ratio, __builtin_nan(""));
  return x * select(complement == 0, __builtin_inf(), inside);
}

}  // namespace detail

// erfinv(x) where 1 - x^2 is `complement`, which may be closer to 0 than x tells. NaN where it is negative, and infinite at 0. To half a
// unit of a float T, or 4 ULP of a double.
template <class T>
MT_VEC double inverse_erf(double x, double complement) {
  if constexpr (std::is_same_v<T, float>)
    return detail::inverse_erf_of<14, 16, 14>(x, complement, -detail::log_wide(complement));
  else
    return mt_vec_inverse_erf(x, complement);
}

// exp(-|x|) I_0(x), 6 ULP, and exp(-|x|) I_1(x), 9 ULP.
MT_VEC double bessel_i0e(double x) { return mt_vec_bessel_i0e(x); }
MT_VEC double bessel_i1e(double x) { return mt_vec_bessel_i1e(x); }
// J_0(x), NaN at infinity: to 2e-15 / sqrt(1 + |x|), and 8 ULP for |x| <= 8.
MT_VEC double bessel_j0(double x) { return mt_vec_bessel_j0(x); }

#undef MT_VEC

}  // namespace mt::cpu::vec
