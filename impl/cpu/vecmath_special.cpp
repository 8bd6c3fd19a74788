// The functions that vecmath_special.h declares: Chebyshev fits of our own to 1e-17, from 60-digit values.
#define MT_DEFINES_SPECIAL_CALLS
#include "cpu/vecmath_special.h"

#include <array>
#include <bit>

#include "cpu/vecmath_calls.h"

namespace mt::cpu::vec {
namespace {

#define MT_VEC __attribute__((always_inline)) inline

constexpr double i0e_small[] = {
    0.33839763720473803, -0.3046826723431984, 0.17162090152220877, -0.09490109704804764, 0.04930528423967071, -0.02373741480589947,
    0.010546460394594998, -0.004324309995050576, 0.0016394756169413357, -0.0005763755745385824, 0.00018850288509584165,
    -5.754195010082104e-05, 1.6448448070728896e-05, -4.4167383584587505e-06, 1.1173875391201037e-06, -2.670793853940612e-07,
    6.046995022541919e-08, -1.300025009986248e-08, 2.6598237246823866e-09, -5.189795601635263e-10, 9.675809035373237e-11,
    -1.726826291441556e-11, 2.95505266312964e-12, -4.856446783111929e-13, 7.676185498604936e-14, -1.1685332877993451e-14,
    1.715391285555133e-15, -2.431279846547955e-16, 3.3307945188222384e-17, -4.4153416464793395e-18, 5.669178006921496e-19,
};
constexpr double i0e_large[] = {
    0.4022452055070544, 0.0033691164782556943, 6.889758346916825e-05, 2.8913705208347567e-06, 2.0489185894690638e-07,
    2.266668990498178e-08, 3.3962320257083865e-09, 4.94060238822497e-10, 1.1889147107846439e-11, -3.1499165279632416e-11,
    -1.3215811840447713e-11, -1.7941785315068062e-12, 7.180124451383666e-13, 3.8527783827421426e-13, 1.54008621752141e-14,
    -4.150569347287222e-14, -9.554846698828307e-15, 3.8116806693526224e-15, 1.7725601330565263e-15, -3.425485619677219e-16,
    -2.8276239805165836e-16, 3.461222867697461e-17, 4.46562142029676e-17, -4.830504485944182e-18, -7.233180487874754e-18,
    9.921475412173699e-19, 1.193650890845982e-18,
};
constexpr double i1e_small[] = {
    0.12629359322181682, -0.17641651835783406, 0.1026436586898471, -0.05294598120809499, 0.024726449030626516, -0.010564084894626197,
    0.004156422944312888, -0.0015135724506312532, 0.0005122859561685758, -0.00016176081582589674, 4.781565107550054e-05,
    -1.3273163656039436e-05, 3.4702513081376785e-06, -8.568720264695455e-07, 2.0032947535521353e-07, -4.445059128796328e-08,
    9.381537386495773e-09, -1.8872497517228294e-09, 3.625590281552117e-10, -6.663489723502027e-11, 1.1736186298890901e-11,
    -1.9839743977649436e-12, 3.223793365945575e-13, -5.042185504727912e-14, 7.600684294735408e-15, -1.1055969477353862e-15,
    1.5536319577362005e-16, -2.111421214358166e-17, 2.7779141127610464e-18, -3.541581772542136e-19,
};
constexpr double i1e_large[] = {
    0.38928811750914005, -0.009761097491361469, -0.00011058893876262371, -3.882564808877691e-06, -2.512236237870209e-07,
    -2.6314688468895196e-08, -3.835380385964237e-09, -5.589743462196584e-10, -1.8974958123505413e-11, 3.2526035830154884e-11,
    1.4125807436613782e-11, 2.0356285441470896e-12, -7.198551776245908e-13, -4.0835511110921974e-13, -2.1015418427726643e-14,
    4.272440016711951e-14, 1.0420276984128802e-14, -3.8144030724370075e-15, -1.8803547755107825e-15, 3.3082023109209285e-16,
    2.96262899764595e-16, -3.209525921993424e-17, -4.6503053684893586e-17, 4.414348323071708e-18, 7.517296310842105e-18,
    -9.314178867326884e-19, -1.242193275194891e-18,
};

// In x up to 8, in 1 / x beyond. Both are formed, since a branch would stop a vector.
struct function_bessel_i0e {
  static MT_VEC double run(double given) {
    const double x = detail::magnitude(given), low = x > 8 ? 8 : x, high = x < 8 ? 8 : x;
    const double small = chebyshev_sum(i0e_small, low / 4 - 1);
    const double large = chebyshev_sum(i0e_large, 16 / high - 1) / std::sqrt(high);
    return detail::select(x <= 8, small, large);
  }
};
struct function_bessel_i1e {
  static MT_VEC double run(double given) {
    const double x = detail::magnitude(given), low = x > 8 ? 8 : x, high = x < 8 ? 8 : x;
    const double small = low * chebyshev_sum(i1e_small, low / 4 - 1);
    const double large = chebyshev_sum(i1e_large, 16 / high - 1) / std::sqrt(high);
    return detail::copy_sign(detail::select(x <= 8, small, large), given);
  }
};

// J_0(x) over (x^2 - a^2) (x^2 - b^2) (x^2 - c^2) (x^2 - d^2), its first four zeros, in x^2 up to 64: relative to itself at the two below 8
// as well. Beyond, the amplitudes of cos(x - pi / 4) and of -sin(x - pi / 4) 8 / x, times sqrt(pi x / 2), in 64 / x^2.
constexpr double j0_small[] = {
    2.87367135958207e-07, -2.1432904410339261e-07, 3.8612636894670814e-08, -4.329906012192557e-09, 3.3899534703738624e-10,
    -1.9806558797411246e-11, 9.024925983732426e-13, -3.3097265829530546e-14, 1.0004944841082764e-15, -2.5401762510609628e-17,
    5.499804880633516e-19, -1.0283596452281672e-20, 1.6783705627753795e-22, -2.4126231393459544e-24,
};
constexpr double j0_cosine[] = {
    0.9994603493475187, -0.0005365220468132117, 3.0751847875194745e-06, -5.1705945376060975e-08, 1.6306464635151382e-09,
    -7.86409137723707e-11, 5.168262387349193e-12, -4.3045788699253914e-13, 4.3265957431549404e-14, -5.069034095935236e-15,
    6.748072215733873e-16, -1.0011513723467786e-16, 1.6305919233744186e-17, -2.880866169482871e-18,
};
constexpr double j0_sine[] = {
    -0.015555854605337009, 6.838519942611649e-05, -7.414498411060647e-07, 1.7972457247968992e-08, -7.27191593686632e-10,
    4.2201219046687385e-11, -3.206747420996635e-12, 3.006145125351706e-13, -3.336328185322427e-14, 4.255225040245461e-15,
    -6.09993013164005e-16, 9.662128970303257e-17, -1.6686065214378146e-17, 3.1082440486738143e-18,
};
struct function_bessel_j0 {
  static MT_VEC double run(double given) {
    const double x = detail::magnitude(given), low = x > 8 ? 8 : x, high = x < 8 ? 8 : x;
    const double from_first = fused(low, low, -0x1.721fb80462bbbp+2) - 0x1.db60c816c15d3p-52;
    const double from_second = fused(low, low, -0x1.e78a4a621dd6fp+4) + 0x1.10d7c5048826bp-52;
    const double square = low * low, from_others = (square - 0x1.2b8c4b8215768p+6) * (square - 0x1.1614a0290c5ddp+7);
    const double small = from_first * from_second * from_others * chebyshev_sum(j0_small, square / 32 - 1);
    const double share = 8 / high, t = 2 * share * share - 1;
    const double s = vec::sin(high), c = vec::cos(high);
    const double wave = chebyshev_sum(j0_cosine, t) * (c + s) - share * chebyshev_sum(j0_sine, t) * (s - c);
    return detail::select(x <= 8, small, wave * 0.56418958354775628695 / std::sqrt(high));
  }
};

// The coefficients of 1, t, t^2, ... in sum of c[k] T_k(t): for c that fall fast enough for both to be as exact.
template <size_t N>
constexpr std::array<double, N> powers_of(const double (&c)[N]) {
  std::array<double, N> result{};
  long double sum[N] = {}, last[N] = {1}, now[N] = {0, 1};
  for (size_t k = 0; k < N; ++k) {
    long double next[N] = {};
    for (size_t i = 0; i < N; ++i) {
      sum[i] += c[k] * last[i];
      next[i] = (i ? 2 * now[i - 1] : 0) - last[i];
    }
    for (size_t i = 0; i < N; ++i) last[i] = now[i], now[i] = next[i];
  }
  for (size_t i = 0; i < N; ++i) result[i] = double(sum[i]);
  return result;
}
// a[First] + a[First + 1] t + ..., Count of them, in halves (G. Estrin, 1960), which wait for each other less; after t its square and so
// on.
template <size_t First, size_t Count, size_t N, class... P>
MT_VEC double in_halves(const std::array<double, N>& a, double power, P... lower) {
  if constexpr (Count == 1) {
    return a[First];
  } else {
    constexpr size_t low = std::bit_floor(Count - 1);
    if constexpr (low < size_t(1) << sizeof...(P))
      return in_halves<First, Count>(a, lower...);
    else
      return fused(in_halves<First + low, Count - low>(a, power, lower...), power, in_halves<First, low>(a, power, lower...));
  }
}
// The first term is added last, so that it has the last rounding.
template <size_t N>
MT_VEC double power_sum(const std::array<double, N>& powers, double t) {
  static_assert(N <= 33);
  const double t2 = t * t, t4 = t2 * t2, t8 = t4 * t4;
  return fused(in_halves<1, N - 1>(powers, t8 * t8, t8, t4, t2, t), t, powers[0]);
}

// erfinv(x) / x as a function of w = -log(1 - x^2): in w / 3 - 1 up to 6, then in sqrt(w) up to 5; coefficients of our own, from 50-digit
// values.
constexpr double inverse_erf_small[] = {
    1.6032187843614276, 0.7065114598352629, -0.018563518253529174, -0.006322936481916675, 0.0017152748065213783,
    -0.00010090171263236434, -4.472783685679211e-05, 1.1536323222418791e-05, -2.1707108033382995e-07, -4.1754298203284093e-07,
    7.78699623588968e-08, 3.872092257424227e-09, -3.777038640094083e-09, 4.6386529158896234e-10, 7.770143484817043e-11,
    -3.174763383548652e-11, 2.0231645192233355e-12, 9.765600091051987e-13, -2.4425065566813935e-13, -3.3311728365333843e-16,
    1.0213858321281266e-14, -1.6679796813597045e-15, -1.519620539702162e-16, 9.487880520881664e-17,
};
constexpr double inverse_erf_middle[] = {
    3.5646889314773973, 1.283115522145889, 0.0030235828573132533, -0.001225774967148018, 0.0004074000579587356,
    -0.0001373400424763089, 4.3650641459603144e-05, -1.1470024702645132e-05, 2.000466045933262e-06, -1.2636384696155905e-10,
    -1.4769135616727383e-07, 5.665445963566875e-08, -1.0404974312573243e-08, -1.6661987748269203e-10, 7.277776136373608e-10,
    -2.2614553857197736e-10, 2.8060711686499913e-11, 4.2765968259508404e-12, -2.8387785179164397e-12, 6.253239198510454e-13,
    -4.193785475527176e-14, -1.8463323146571416e-14, 7.701369650258032e-15, -1.5192859696641447e-15, 1.0949507237507943e-16,
    4.280945174754074e-17,
};
// erfinv(x) / x beyond sqrt(w) = 5, in 1 / sqrt(w) and divided by sqrt(w).
constexpr double inverse_erf_tail[] = {
    0.9849275186962524, -0.014158122994749561, -0.0009724214274927725, 0.00020193290394208857, -2.01278922456699e-05,
    2.9909928960115716e-06, -5.993219550838411e-07, 1.3599436997612334e-07, -3.3648879884994446e-08, 8.905900923918824e-09,
    -2.4808029857370708e-09, 7.193373096438713e-10, -2.1530415953919998e-10, 6.620623196346146e-11, -2.0791211149158686e-11,
    6.662082204802879e-12, -2.165376158945803e-12, 7.150829415226716e-13, -2.386628943002524e-13, 8.058582126066297e-14,
    -2.7483409730116032e-14, 9.440281935146404e-15, -3.27421555792052e-15, 1.1421124379755732e-15, -4.0088149643594777e-16,
    1.417749711659269e-16, -5.0301432135547334e-17, 1.795216400049589e-17,
};

struct function_inverse_erf {
  static MT_VEC double small(double w) {
    constexpr auto fit = powers_of(inverse_erf_small);
    return power_sum(fit, fused(w, 1.0 / 3, -1.0));
  }

  // The rest is one number in 800 of those spread evenly.
  static MT_VEC bool is_near(double, double complement) { return complement > 0x1p-8; }
  static MT_VEC double near(double x, double complement) { return x * small(-vec::log(complement)); }
  static MT_VEC double run(double x, double complement) {
    const double w = -vec::log(complement);
    const double root = std::sqrt(w < 6 ? 6 : w > 756 ? 756 : w), low = root > 5 ? 5 : root, high = root < 5 ? 5 : root;
    constexpr auto middle_fit = powers_of(inverse_erf_middle);
    constexpr auto tail_fit = powers_of(inverse_erf_tail);
    const double middle = power_sum(middle_fit, (low - 3.7247448713915890) / 1.2752551286084110);
    const double tail = power_sum(tail_fit, (1 / high - 0.11818181818181818) / 0.08181818181818182) * high;
    const double ratio = detail::select(w <= 6, small(w > 6 ? 6 : w), detail::select(w <= 25, middle, tail));
    const double inside = detail::select(complement > 0, ratio, __builtin_nan(""));
    return x * detail::select(complement == 0, __builtin_inf(), inside);
  }
};

}  // namespace
}  // namespace mt::cpu::vec

#define MT_DEFINE(name) MT_VECTORS(name, mt::cpu::vec::one<mt::cpu::vec::function_##name>)
MT_DEFINE(bessel_i0e)
MT_DEFINE(bessel_i1e)
MT_DEFINE(bessel_j0)
MT_BINARY_VECTORS(inverse_erf, mt::cpu::vec::one<mt::cpu::vec::function_inverse_erf>)
