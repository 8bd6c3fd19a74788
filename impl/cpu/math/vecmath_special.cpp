// The inverse of erf, the scaled erfc and log gamma that vecmath_special.h declares.
#define MT_DEFINES_SPECIAL_CALLS
#include "cpu/math/vecmath_calls.h"
#include "cpu/math/vecmath_fits.h"

namespace mt::cpu::vec {
namespace {

#define MT_VEC __attribute__((always_inline)) inline

// erfinv(x) / x as a function of w = -log(1 - x^2): in w / 3 - 1 up to 6, then in sqrt(w) up to 5; our own coefficients, from 50-digit
// values.
constexpr double inverse_erf_small[] = {
    1.6032187843614276,      0.7065114598352629,      -0.018563518253529174,  -0.006322936481916675,   0.0017152748065213783,
    -0.00010090171263236434, -4.472783685679211e-05,  1.1536323222418791e-05, -2.1707108033382995e-07, -4.1754298203284093e-07,
    7.78699623588968e-08,    3.872092257424227e-09,   -3.777038640094083e-09, 4.6386529158896234e-10,  7.770143484817043e-11,
    -3.174763383548652e-11,  2.0231645192233355e-12,  9.765600091051987e-13,  -2.4425065566813935e-13, -3.3311728365333843e-16,
    1.0213858321281266e-14,  -1.6679796813597045e-15, -1.519620539702162e-16, 9.487880520881664e-17,
};
constexpr double inverse_erf_middle[] = {
    3.5646889314773973,      1.283115522145889,       0.0030235828573132533,   -0.001225774967148018,   0.0004074000579587356,
    -0.0001373400424763089,  4.3650641459603144e-05,  -1.1470024702645132e-05, 2.000466045933262e-06,   -1.2636384696155905e-10,
    -1.4769135616727383e-07, 5.665445963566875e-08,   -1.0404974312573243e-08, -1.6661987748269203e-10, 7.277776136373608e-10,
    -2.2614553857197736e-10, 2.8060711686499913e-11,  4.2765968259508404e-12,  -2.8387785179164397e-12, 6.253239198510454e-13,
    -4.193785475527176e-14,  -1.8463323146571416e-14, 7.701369650258032e-15,   -1.5192859696641447e-15, 1.0949507237507943e-16,
    4.280945174754074e-17,
};
// erfinv(x) / x for sqrt(w) > 5, as a function of 1 / sqrt(w), divided by sqrt(w).
constexpr double inverse_erf_tail[] = {
    0.9849275186962524,      -0.014158122994749561,   -0.0009724214274927725,  0.00020193290394208857,  -2.01278922456699e-05,
    2.9909928960115716e-06,  -5.993219550838411e-07,  1.3599436997612334e-07,  -3.3648879884994446e-08, 8.905900923918824e-09,
    -2.4808029857370708e-09, 7.193373096438713e-10,   -2.1530415953919998e-10, 6.620623196346146e-11,   -2.0791211149158686e-11,
    6.662082204802879e-12,   -2.165376158945803e-12,  7.150829415226716e-13,   -2.386628943002524e-13,  8.058582126066297e-14,
    -2.7483409730116032e-14, 9.440281935146404e-15,   -3.27421555792052e-15,   1.1421124379755732e-15,  -4.0088149643594777e-16,
    1.417749711659269e-16,   -5.0301432135547334e-17, 1.795216400049589e-17,
};

struct function_inverse_erf {
  // False for one in 800 of uniformly distributed x.
  static MT_VEC bool is_near(double, double complement) { return complement > 0x1p-8; }
  static MT_VEC double compute_near(double x, double complement) {
    constexpr auto fit = powers_of(inverse_erf_small);
    const double w = -vec::log(complement);
    return x * power_sum(fit, fused(w > 6 ? 6 : w, 1.0 / 3, -1.0));
  }
  static MT_VEC double compute_far(double x, double complement, double near) {
    const double w = -vec::log(complement);
    const double root = std::sqrt(w < 6 ? 6 : w > 756 ? 756 : w), low = root > 5 ? 5 : root, high = root < 5 ? 5 : root;
    constexpr auto middle_fit = powers_of(inverse_erf_middle);
    constexpr auto tail_fit = powers_of(inverse_erf_tail);
    const double middle = power_sum(middle_fit, (low - 3.7247448713915890) / 1.2752551286084110);
    const double tail = power_sum(tail_fit, (1 / high - 0.11818181818181818) / 0.08181818181818182) * high;
    const double far = x * detail::select(w <= 25, middle, tail);
    const double inside = detail::select(complement > 0, detail::select(w <= 6, near, far), __builtin_nan(""));
    return detail::select(complement == 0, x * __builtin_inf(), inside);
  }
};

// (1 + 2 x) exp(x^2) erfc(x) as a function of (x - 3.75) / (x + 3.75) (M. Shepherd and J. Laframboise, 1981); our own coefficients.
constexpr double erfcx_fit[] = {
    1.1775789345674017,      -0.004590054580646478,   -0.08424913336651792,    0.05920993999819189,    -0.026658668435305753,
    0.009074997670705265,    -0.002413163540417608,   0.0004907758365258086,   -6.916973302501207e-05, 4.13902798607301e-06,
    7.74038306619849e-07,    -2.1886401049234397e-07, 1.076499946567091e-08,   4.521959811218287e-09,  -7.754400208831351e-10,
    -6.318088340886684e-11,  2.86879501093067e-11,    1.9455868545777347e-13,  -9.65469674843344e-13,  3.25254814814874e-14,
    3.3478119482868056e-14,  -1.864562880419313e-15,  -1.2507950530688648e-15, 7.418235256624044e-17,  5.068148904796111e-17,
    -2.2370566594359995e-18, -2.187342944303018e-18,
};
template <class Fits>
struct scaled_erfc_by {
  static MT_VEC bool is_near(double x) { return x >= 0; }
  static MT_VEC double compute_near(double x) {
    const double size = detail::magnitude(x), bounded = size > 1e300 ? 1e300 : size;
    const double y = Fits::template sum<erfcx_fit>((bounded - 3.75) / (bounded + 3.75)) / fused(2.0, size, 1.0);
    return detail::select(x == 0, 1.0, y);
  }
  static MT_VEC double compute_far(double x, double near) {
    const double bounded = x < -27 ? -27 : x, square = bounded * bounded, e = Fits::exp(square), power = e > 1.7e308 ? 1.7e308 : e;
    return 2 * fused(power, fused(bounded, bounded, -square), power) - near;
  }
};

// log gamma(t) / ((t - 1) (t - 2)) on [1, 2], as a function of 2 t - 3.
constexpr double lgamma_fit[] = {
    0.49141539302938714,     -0.07611416167043585,    0.008432324965932778,    -0.001079493726328608,  0.00014900748003692963,
    -2.1512399888556784e-05, 3.1979329860862186e-06,  -4.851693012139927e-07,  7.47148782116316e-08,   -1.1638296700170518e-08,
    1.829400437118668e-09,   -2.8969180607129607e-10, 4.61570140620909e-11,    -7.392810230497983e-12, 1.1894280008333085e-12,
    -1.9212068676522805e-13, 3.113975526387164e-14,   -5.0628432984486114e-15, 8.254150281631144e-16,  -1.3490578987574844e-16,
    2.209876116782623e-17,   -3.6274129549239766e-18, 5.965430068821522e-19,
};
// With v = x, or 1 - x for negative x: the fit and up to three recurrence steps from (0, 5), or Stirling's series after two steps up. The
// steps and the reflection, whose result is log(pi / |sin(pi x)|) - lgamma(v), share one logarithm.
struct function_lgamma {
  static MT_VEC double compute(double x) {
    using detail::select;
    const bool negative = x < 0;
    const double v = select(negative, 1 - x, x);
    const bool near = v < 5, far = v >= 1e7;  // for large v the steps change nothing, and their product would overflow
    // t - 1 is exact, so that the zeros at 1 and 2 are; gamma(v) = gamma(t) times `up`, or divided by `down`.
    const double bounded = select(near, v, 2);
    const bool from_1 = bounded >= 1, from_2 = bounded >= 2, from_3 = bounded >= 3, from_4 = bounded >= 4;
    const double a = bounded - (select(from_1, 1, 0) + select(from_2, 1, 0) + (select(from_3, 1, 0) + select(from_4, 1, 0)));
    const double up = select(from_2, bounded - 1, 1) * select(from_3, bounded - 2, 1) * select(from_4, bounded - 3, 1);
    const double down = select(near, select(v < 1, v, 1), select(far, 1, v * (v + 1)));
    const double polynomial = a * (a - 1) * ForDouble::sum<lgamma_fit>(fused(2.0, a, -1.0));
    const double y = select(far, v, v + 2), i = 1 / y, z = i * i;
    double series = 43867.0 / 244188;
    series = fused(-z, series, 3617.0 / 122400);
    series = fused(-z, series, 1.0 / 156);
    series = fused(-z, series, 691.0 / 360360);
    series = fused(-z, series, 1.0 / 1188);
    series = fused(-z, series, 1.0 / 1680);
    series = fused(-z, series, 1.0 / 1260);
    series = fused(-z, series, 1.0 / 360);
    series = fused(-z, series, 1.0 / 12);
    const double stirling = fused(y - 0.5, vec::log(y), 0.91893853320467274178 - y) + i * series;
    const double base = select(near, polynomial, stirling);
    const double size = detail::magnitude(x), r = select(size < 0x1p52, size - ((size + 0x1p52) - 0x1p52), 0);
    const double sine = detail::magnitude(vec::sin(detail::pi * r));
    const bool adds = near & (v >= 1);
    const double logarithm = vec::log(select(negative, detail::pi * down / (sine * up), select(adds, up, down)));
    const double result = select(negative, logarithm - base, base + select(adds, logarithm, -logarithm));
    return select(size == __builtin_inf(), __builtin_inf(), result);
  }
};

using function_scaled_erfc = scaled_erfc_by<ForDouble>;
using function_float_scaled_erfc = scaled_erfc_by<ForFloat>;

}  // namespace
}  // namespace mt::cpu::vec

MT_BINARY_VECTORS(inverse_erf, mt::cpu::vec::one<mt::cpu::vec::function_inverse_erf>)
MT_VECTORS(lgamma, std::lgamma)
MT_NARROW_VECTORS(scaled_erfc, mt::cpu::vec::one<mt::cpu::vec::scaled_erfc_by<mt::cpu::vec::ForOne>>)
MT_NARROW_VECTORS(float_scaled_erfc, mt_vec_scaled_erfc)
