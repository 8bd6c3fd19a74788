// The scaled complementary error function and what follows from it: tails of the normal distribution without underflow.
#pragma once

#include <cmath>

#include "cpu/vecmath_more.h"
#include "rules/special.h"

namespace mt {

// (1 + 2 x) exp(x^2) erfc(x) over (x - 3.75) / (x + 3.75) (M. Shepherd and J. Laframboise, 1981); coefficients of our own.
inline constexpr double erfcx_fit[] = {
    1.1775789345674017, -0.004590054580646478, -0.08424913336651792, 0.05920993999819189, -0.026658668435305753, 0.009074997670705265,
    -0.002413163540417608, 0.0004907758365258086, -6.916973302501207e-05, 4.13902798607301e-06, 7.74038306619849e-07,
    -2.1886401049234397e-07, 1.076499946567091e-08, 4.521959811218287e-09, -7.754400208831351e-10, -6.318088340886684e-11,
    2.86879501093067e-11, 1.9455868545777347e-13, -9.65469674843344e-13, 3.25254814814874e-14, 3.3478119482868056e-14,
    -1.864562880419313e-15, -1.2507950530688648e-15, 7.418235256624044e-17, 5.068148904796111e-17, -2.2370566594359995e-18,
    -2.187342944303018e-18,
};

inline double scaled_erfc(double x) {
  if (!(x < __builtin_inf())) return x != x ? x : 0;
  if (x < -26.7) return __builtin_inf();
  const double a = std::fabs(x);
  const double upper = a > 1e15 ? 0.56418958354775628695 / a : chebyshev_sum(erfcx_fit, (a - 3.75) / (a + 3.75)) / (1 + 2 * a);
  return x < 0 ? 2 * std::exp(x * x) - upper : upper;
}

// The logarithm of the normal distribution function.
inline double log_normal_cdf(double x) {
  const double z = x * 0.70710678118654752440;
  return x < -1 ? std::log(scaled_erfc(-z) / 2) - z * z : std::log1p(-std::erfc(z) / 2);
}

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

// x times erfinv(x) / x where 1 - x^2 is `complement`, which may be closer to 0 than x tells. NaN where it is negative, and
// infinite at 0. To half a unit of a float, or of a double up to rounding; loops over floats vectorise.
template <class T>
[[gnu::always_inline]] inline double inverse_erf(double x, double complement) {
  constexpr bool single = std::is_same_v<T, float>;
  constexpr size_t small_terms = single ? 14 : 24, middle_terms = single ? 16 : 26, tail_terms = single ? 14 : 28;
  double w;
  if constexpr (single)
    w = -cpu::vec::detail::log_wide(complement);
  else
    w = -std::log(complement);
  const double root = std::sqrt(w < 6 ? 6 : w > 756 ? 756 : w), near = root > 5 ? 5 : root, far = root < 5 ? 5 : root;
  const double small = chebyshev_head<small_terms>(inverse_erf_small, (w > 6 ? 6 : w) / 3 - 1);
  const double middle = chebyshev_head<middle_terms>(inverse_erf_middle, (near - 3.7247448713915890) / 1.2752551286084110);
  const double tail = chebyshev_head<tail_terms>(inverse_erf_tail, (1 / far - 0.11818181818181818) / 0.08181818181818182) * far;
  const double ratio = cpu::vec::detail::select(w <= 6, small, cpu::vec::detail::select(w <= 25, middle, tail));
  const double inside = cpu::vec::detail::select(complement > 0, ratio, __builtin_nan(""));
  return x * cpu::vec::detail::select(complement == 0, __builtin_inf(), inside);
}

}  // namespace mt
