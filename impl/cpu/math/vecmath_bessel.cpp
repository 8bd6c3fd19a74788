// The Bessel functions that vecmath_special.h declares: our own Chebyshev fits, accurate to 1e-17, from 50- and 60-digit values.
#define MT_DEFINES_SPECIAL_CALLS
#include "cpu/math/vecmath_angle.h"
#include "cpu/math/vecmath_calls.h"
#include "cpu/math/vecmath_fits.h"

namespace mt::cpu::vec {
namespace {

#define MT_VEC __attribute__((always_inline)) inline

constexpr double i0e_small[] = {
    0.33839763720473803,     -0.3046826723431984,    0.17162090152220877,    -0.09490109704804764,    0.04930528423967071,
    -0.02373741480589947,    0.010546460394594998,   -0.004324309995050576,  0.0016394756169413357,   -0.0005763755745385824,
    0.00018850288509584165,  -5.754195010082104e-05, 1.6448448070728896e-05, -4.4167383584587505e-06, 1.1173875391201037e-06,
    -2.670793853940612e-07,  6.046995022541919e-08,  -1.300025009986248e-08, 2.6598237246823866e-09,  -5.189795601635263e-10,
    9.675809035373237e-11,   -1.726826291441556e-11, 2.95505266312964e-12,   -4.856446783111929e-13,  7.676185498604936e-14,
    -1.1685332877993451e-14, 1.715391285555133e-15,  -2.431279846547955e-16, 3.3307945188222384e-17,  -4.4153416464793395e-18,
    5.669178006921496e-19,
};
constexpr double i0e_large[] = {
    0.4022452055070544,      0.0033691164782556943,   6.889758346916825e-05,  2.8913705208347567e-06, 2.0489185894690638e-07,
    2.266668990498178e-08,   3.3962320257083865e-09,  4.94060238822497e-10,   1.1889147107846439e-11, -3.1499165279632416e-11,
    -1.3215811840447713e-11, -1.7941785315068062e-12, 7.180124451383666e-13,  3.8527783827421426e-13, 1.54008621752141e-14,
    -4.150569347287222e-14,  -9.554846698828307e-15,  3.8116806693526224e-15, 1.7725601330565263e-15, -3.425485619677219e-16,
    -2.8276239805165836e-16, 3.461222867697461e-17,   4.46562142029676e-17,   -4.830504485944182e-18, -7.233180487874754e-18,
    9.921475412173699e-19,   1.193650890845982e-18,
};
constexpr double i1e_small[] = {
    0.12629359322181682,     -0.17641651835783406,    0.1026436586898471,      -0.05294598120809499,   0.024726449030626516,
    -0.010564084894626197,   0.004156422944312888,    -0.0015135724506312532,  0.0005122859561685758,  -0.00016176081582589674,
    4.781565107550054e-05,   -1.3273163656039436e-05, 3.4702513081376785e-06,  -8.568720264695455e-07, 2.0032947535521353e-07,
    -4.445059128796328e-08,  9.381537386495773e-09,   -1.8872497517228294e-09, 3.625590281552117e-10,  -6.663489723502027e-11,
    1.1736186298890901e-11,  -1.9839743977649436e-12, 3.223793365945575e-13,   -5.042185504727912e-14, 7.600684294735408e-15,
    -1.1055969477353862e-15, 1.5536319577362005e-16,  -2.111421214358166e-17,  2.7779141127610464e-18, -3.541581772542136e-19,
};
constexpr double i1e_large[] = {
    0.38928811750914005,     -0.009761097491361469,  -0.00011058893876262371, -3.882564808877691e-06,  -2.512236237870209e-07,
    -2.6314688468895196e-08, -3.835380385964237e-09, -5.589743462196584e-10,  -1.8974958123505413e-11, 3.2526035830154884e-11,
    1.4125807436613782e-11,  2.0356285441470896e-12, -7.198551776245908e-13,  -4.0835511110921974e-13, -2.1015418427726643e-14,
    4.272440016711951e-14,   1.0420276984128802e-14, -3.8144030724370075e-15, -1.8803547755107825e-15, 3.3082023109209285e-16,
    2.96262899764595e-16,    -3.209525921993424e-17, -4.6503053684893586e-17, 4.414348323071708e-18,   7.517296310842105e-18,
    -9.314178867326884e-19,  -1.242193275194891e-18,
};

// log(x / 2) for the smallest double too, where x / 2 is 0.
template <class Fits>
MT_VEC double log_half(double x) {
  const bool tiny = x < 1e-300;
  return Fits::log(detail::select(tiny, x, x / 2)) - detail::select(tiny, 0.69314718055994530942, 0);
}

// The fits are polynomials in x up to 8, and in 1 / x beyond.
constexpr double asymptotic_from = 8;
template <class Fits, const auto& Small, const auto& Large>
struct scaled_i {
  static MT_VEC bool is_near(double x) { return detail::magnitude(x) <= asymptotic_from; }
  static MT_VEC double compute_near(double x) { return Fits::template sum<Small>(detail::magnitude(x) / 4 - 1); }
  static MT_VEC double compute_far(double x, double) {
    const double high = detail::magnitude(x);
    return Fits::template sum<Large>(16 / high - 1) / std::sqrt(high);
  }
};
template <class Fits>
struct bessel_i0e_by : scaled_i<Fits, i0e_small, i0e_large> {
  static MT_VEC double compute_near(double x) { return detail::select(x == 0, 1.0, scaled_i<Fits, i0e_small, i0e_large>::compute_near(x)); }
};
template <class Fits>
struct bessel_i1e_by {
  using Size = scaled_i<Fits, i1e_small, i1e_large>;
  static MT_VEC bool is_near(double x) { return Size::is_near(x); }
  static MT_VEC double compute_near(double x) { return x * Size::compute_near(x); }
  static MT_VEC double compute_far(double x, double) { return detail::copy_sign(Size::compute_far(x, 0), x); }
};

// J_0(x) divided by (x^2 - a^2) (x^2 - b^2) (x^2 - c^2) (x^2 - d^2), its first four zeros, in x^2 up to 64: the relative error stays
// small at the two zeros below 8. J_1(x) divided by x and the same product for its own zeros. Y_n(x) without its logarithm, 2 / pi log(x
// / 2) J_n(x), and without its pole, in x^2 up to 64. Beyond 8, the amplitudes of cos(x - a) and of -sin(x - a) 8 / x in J_n, with a = (2
// n + 1) pi / 4, times sqrt(pi x / 2), in 64 / x^2; Y_n has the same amplitudes.
constexpr double j0_small[] = {
    2.87367135958207e-07,    -2.1432904410339261e-07, 3.8612636894670814e-08,  -4.329906012192557e-09,  3.3899534703738624e-10,
    -1.9806558797411246e-11, 9.024925983732426e-13,   -3.3097265829530546e-14, 1.0004944841082764e-15,  -2.5401762510609628e-17,
    5.499804880633516e-19,   -1.0283596452281672e-20, 1.6783705627753795e-22,  -2.4126231393459544e-24,
};
constexpr double j0_cosine[] = {
    0.9994603493475187,    -0.0005365220468132117,  3.0751847875194745e-06,  -5.1705945376060975e-08, 1.6306464635151382e-09,
    -7.86409137723707e-11, 5.168262387349193e-12,   -4.3045788699253914e-13, 4.3265957431549404e-14,  -5.069034095935236e-15,
    6.748072215733873e-16, -1.0011513723467786e-16, 1.6305919233744186e-17,  -2.880866169482871e-18,
};
constexpr double j0_sine[] = {
    -0.015555854605337009,  6.838519942611649e-05,  -7.414498411060647e-07,  1.7972457247968992e-08, -7.27191593686632e-10,
    4.2201219046687385e-11, -3.206747420996635e-12, 3.006145125351706e-13,   -3.336328185322427e-14, 4.255225040245461e-15,
    -6.09993013164005e-16,  9.662128970303257e-17,  -1.6686065214378146e-17, 3.1082440486738143e-18,
};
constexpr double j1_small[] = {
    2.1011618459088308e-08, -1.4110114189694496e-08, 2.2875786027517553e-09,  -2.3231773577705502e-10, 1.65865360018521e-11,
    -8.894794287795586e-13, 3.7417088989171155e-14,  -1.2734573981248592e-15, 3.589192734257991e-17,   -8.531904550237403e-19,
    1.736015872002148e-20,  -3.0608235438763703e-22, 4.724850994819805e-24,   -6.442425596962548e-26,
};
constexpr double j1_cosine[] = {
    1.0009030408600137,     0.0008989898330859408,  -3.987284300488908e-06,  6.177633960644299e-08,   -1.8718907491063067e-09,
    8.816898659582339e-11,  -5.704863640395645e-12, 4.699195515230542e-13,   -4.6842237839904895e-14, 5.452674896044717e-15,
    -7.221180842274018e-16, 1.0667689114335412e-16, -1.7312313216116335e-17, 3.0492991197665872e-18,
};
constexpr double j1_sine[] = {
    0.04677778706953532,    -9.62772354915708e-05,   9.138615257955454e-07,  -2.0959781384083424e-08,
    8.229193327650554e-10,  -4.686363688176945e-11,  3.5152187949686082e-12, -3.2643156743279e-13,
    3.5967765829165294e-14, -4.5612523950772974e-15, 6.508282957783384e-16,  -1.0269147531823243e-16,
    1.767635548776479e-17,  -3.2834519872981614e-18, 6.524081149589261e-19,  -1.3765771484849487e-19,
};
constexpr double y0_small[] = {
    0.03645469809116044,     -0.2783237094075825,     0.2960499990207148,      0.09825508408187864,     -0.10755155280627783,
    0.031799074084414514,    -0.005161397105810715,   0.0005498525320039012,   -4.1996983149420134e-05, 2.4290361107923793e-06,
    -1.1049969793472957e-07, 4.06651736597911e-09,    -1.2374148898289854e-10, 3.1685725528945945e-12,  -6.926956032431002e-14,
    1.3086308625876684e-15,  -2.1586201986914482e-17, 3.136863182479938e-19,
};
constexpr double y1_small[] = {
    0.038300769852423776,   -0.08182561412732826,   -0.0248677076121964,    0.047967452752746984,    -0.01852588451089802,
    0.003680607687823511,   -0.0004627254060293369, 4.06940026958087e-05,   -2.6617695125295625e-06, 1.350602691325434e-07,
    -5.483524110336276e-09, 1.8245086841229007e-10, -5.070666636591129e-12, 1.1956162517587948e-13,  -2.423162442712473e-15,
    4.268126513072962e-17,  -6.596060978723042e-19,
};
constexpr double two_over_pi = 0.63661977236758134308;

template <class Fits, const auto& Cosine, const auto& Sine>
MT_VEC double evaluate_asymptotic_wave(double x, double along, double across) {
  const double share = 8 / x, t = fused(share, 2 * share, -1.0);
  const double sum = fused(share * Fits::template sum<Sine>(t), across, Fits::template sum<Cosine>(t) * along);
  return sum * 0.56418958354775628695 / std::sqrt(x);
}
// x^2 - a for the square a of a zero, which is given as a sum of two numbers.
MT_VEC double square_minus_squared_zero(double x, double square, double rest) { return fused(x, x, -square) - rest; }

template <class Fits>
struct order_0 {
  static MT_VEC double j(double x) {
    const double z = x * x, near = square_minus_squared_zero(x, 0x1.721fb80462bbbp+2, 0x1.db60c816c15d3p-52);
    const double middle = square_minus_squared_zero(x, 0x1.e78a4a621dd6fp+4, -0x1.10d7c5048826bp-52);
    const double y = near * middle * ((z - 0x1.2b8c4b8215768p+6) * (z - 0x1.1614a0290c5ddp+7)) * Fits::template sum<j0_small>(z / 32 - 1);
    return detail::select(x == 0, 1.0, y);
  }
  static MT_VEC double y(double x) { return fused(two_over_pi * log_half<Fits>(x), j(x), Fits::template sum<y0_small>(x * x / 32 - 1)); }
  static MT_VEC double j_asymptotic(double x, double sine, double cosine) {
    return evaluate_asymptotic_wave<Fits, j0_cosine, j0_sine>(x, cosine + sine, cosine - sine);
  }
  static MT_VEC double y_asymptotic(double x, double sine, double cosine) {
    return evaluate_asymptotic_wave<Fits, j0_cosine, j0_sine>(x, sine - cosine, sine + cosine);
  }
  static MT_VEC double apply_sign_of_argument(double y, double) { return y; }
};
template <class Fits>
struct order_1 {
  static MT_VEC double j(double x) {
    const double z = x * x, near = square_minus_squared_zero(x, 0x1.d5d2b4189822cp+3, -0x1.c6a0d245172bap-54);
    const double middle = square_minus_squared_zero(x, 0x1.89bf66072a432p+5, 0x1.25355661cb79cp-51);
    return x * (near * middle) * ((z - 0x1.9dff70d785e2cp+6) * (z - 0x1.630aa1f2a4442p+7)) * Fits::template sum<j1_small>(z / 32 - 1);
  }
  static MT_VEC double y(double x) {
    const double regular = fused(log_half<Fits>(x), j(x), -1 / x);
    return fused(two_over_pi, regular, x * Fits::template sum<y1_small>(x * x / 32 - 1));
  }
  static MT_VEC double j_asymptotic(double x, double sine, double cosine) {
    return evaluate_asymptotic_wave<Fits, j1_cosine, j1_sine>(x, sine - cosine, sine + cosine);
  }
  static MT_VEC double y_asymptotic(double x, double sine, double cosine) {
    return evaluate_asymptotic_wave<Fits, j1_cosine, j1_sine>(x, -(sine + cosine), sine - cosine);
  }
  static MT_VEC double apply_sign_of_argument(double y, double given) {
    return std::bit_cast<double>(std::bit_cast<uint64_t>(y) ^ (std::bit_cast<uint64_t>(given) & 0x8000000000000000u));
  }
};

template <class Order>
struct bessel_j_by {
  static constexpr double limit = detail::largest_angle;
  static double exact(double given) {
    const double x = detail::magnitude(given);
    return Order::apply_sign_of_argument(Order::j_asymptotic(x, std::sin(x), std::cos(x)), given);
  }
  static MT_VEC bool is_near(double x) { return detail::magnitude(x) <= asymptotic_from; }
  static MT_VEC double compute_near(double x) { return Order::j(x); }
  static MT_VEC double compute_far(double given, double) {
    const double x = detail::magnitude(given);
    const detail::Angle angle = detail::angle_of(x);
    return Order::apply_sign_of_argument(Order::j_asymptotic(x, detail::sine_of(angle), detail::cosine_of(angle)), given);
  }
};
template <class Order>
struct bessel_y_by {
  static constexpr double limit = detail::largest_angle;
  static double exact(double x) { return x > 0 ? Order::y_asymptotic(x, std::sin(x), std::cos(x)) : __builtin_nan(""); }
  static MT_VEC bool is_near(double x) { return (x > 0) & (x <= asymptotic_from); }
  static MT_VEC double compute_near(double x) { return Order::y(x); }
  static MT_VEC double compute_far(double x, double) {
    const detail::Angle angle = detail::angle_of(x);
    const double far = Order::y_asymptotic(x, detail::sine_of(angle), detail::cosine_of(angle));
    return detail::select(x > 0, far, detail::select(x == 0, -__builtin_inf(), __builtin_nan("")));
  }
};

// K_n(x) up to 2 without its logarithm, -log(x / 2) I_0(x) or log(x / 2) I_1(x) (the latter divided by x, as I_1 is), in x^2; beyond 2,
// exp(x) K_n(x) sqrt(x) in 1 / x.
constexpr double k0_small[] = {
    -0.2676636966169514,    0.3442898999246285,     0.0359799365153615,     0.001264615411446926,
    2.286212103119452e-05,  2.5347910790261494e-07, 1.904516377220209e-09,  1.0349695257633625e-11,
    4.2598161427910826e-14, 1.3744654358807508e-16, 3.5708965285083736e-19,
};
constexpr double k0_large[] = {
    1.2201515410329777,      -0.0314481013119645,     0.0015698838857300533,   -0.00012849549581627802, 1.39498137188765e-05,
    -1.8317555227191195e-06, 2.766813639445015e-07,   -4.660489897687948e-08,  8.574034017414225e-09,   -1.6975345093890614e-09,
    3.5773972814003283e-10,  -7.957489244477396e-11,  1.8559491149549264e-11,  -4.514597883374519e-12,  1.1403405882073441e-12,
    -2.9800969231481784e-13, 8.032890775068375e-14,   -2.2275133267462965e-14, 6.340076476276646e-15,   -1.848593377920907e-15,
    5.5120559994043335e-16,  -1.6782311257549006e-16, 5.2103917776435543e-17,  -1.6475805939842632e-17, 5.3004337711773354e-18,
    -1.7331712005821001e-18,
};
constexpr double k1_small[] = {
    0.7626501136694739,     -0.3531559607765449,     -0.12261118082265715,   -0.006975723859639864,
    -0.0001730288957513052, -2.4334061415659684e-06, -2.213387630734726e-08, -1.4114883926335278e-10,
    -6.666901694199329e-13, -2.427449850519366e-15,  -7.023863479386288e-18,
};
constexpr double k1_large[] = {
    1.3603130952422213,      0.10392373657681724,     -0.002857816859622779,  0.00019521551847135162,  -1.936197974166083e-05,
    2.406484947837217e-06,   -3.5019606030878126e-07, 5.7410841254500495e-08, -1.0345762465678097e-08, 2.0150497551970347e-09,
    -4.1903547593419254e-10, 9.218315187605315e-11,   -2.129967838427791e-11, 5.139639673482343e-12,   -1.2891739609498229e-12,
    3.348419666052243e-13,   -8.976705182010146e-14,  2.4771544242195988e-14, -7.0198370892147685e-15, 2.038703166239861e-15,
    -6.057047270643018e-16,  1.8380935752430455e-16,  -5.689462849193648e-17, 1.7940510478863572e-17,  -5.7567444820733025e-18,
    1.8778651901623268e-18,
};
constexpr double i0_near[] = {
    1.6029228068079633,     0.638809625651177,      0.03685485969436176,    0.00098287812725148,   1.4983654208927293e-05,
    1.4738449008423848e-07, 1.0114797900674826e-09, 5.1149979020112795e-12, 1.984280622680562e-14, 6.090516506058955e-17,
};
constexpr double i1_near[] = {
    0.6417589969911874,     0.1475393201491934,    0.005898742680020788, 0.00011988137174638708, 1.4739165119093128e-06,
    1.2138074968740922e-08, 7.161106692799279e-11, 3.17487931131012e-13, 1.0962998348773076e-15, 3.0315021220933553e-18,
};

template <class Fits, const auto& Fit>
struct scaled_k {
  static MT_VEC bool is_near(double x) { return (x > 0) & (x <= 2); }
  static MT_VEC double compute_far(double x, double) {
    const double far = Fits::template sum<Fit>(4 / x - 1) / std::sqrt(x);
    return detail::select(x > 0, far, detail::select(x == 0, __builtin_inf(), __builtin_nan("")));
  }
};
template <class Fits>
struct bessel_k0e_by : scaled_k<Fits, k0_large> {
  static MT_VEC double compute_near(double x) {
    const double t = fused(x * 0.5, x, -1.0);
    return fused(-log_half<Fits>(x), Fits::template sum<i0_near>(t), Fits::template sum<k0_small>(t)) * Fits::exp(x);
  }
};
template <class Fits>
struct bessel_k1e_by : scaled_k<Fits, k1_large> {
  static MT_VEC double compute_near(double x) {
    const double t = fused(x * 0.5, x, -1.0), i1 = x * Fits::template sum<i1_near>(t);
    return fused(log_half<Fits>(x), i1, Fits::template sum<k1_small>(t) / x) * Fits::exp(x);
  }
};

template <class Fits>
using bessel_j0_by = bessel_j_by<order_0<Fits>>;
template <class Fits>
using bessel_j1_by = bessel_j_by<order_1<Fits>>;
template <class Fits>
using bessel_y0_by = bessel_y_by<order_0<Fits>>;
template <class Fits>
using bessel_y1_by = bessel_y_by<order_1<Fits>>;
#define MT_MAKE(name)                           \
  using function_##name = name##_by<ForDouble>; \
  using function_float_##name = name##_by<ForFloat>;
MT_BESSELS(MT_MAKE)

}  // namespace
}  // namespace mt::cpu::vec

#define MT_ONE(name) mt::cpu::vec::one<mt::cpu::vec::name##_by<mt::cpu::vec::ForOne>>
#define MT_DEFINE(name) MT_NARROW_VECTORS(name, MT_ONE(name))
MT_BESSELS(MT_DEFINE)
#define MT_DEFINE_FLOAT(name) MT_NARROW_VECTORS(float_##name, mt_vec_##name)
MT_DEFINE_FLOAT(bessel_i0e)
MT_VECTORS(float_bessel_i1e, mt_vec_bessel_i1e)  // the only one that torch vectorises too
MT_DEFINE_FLOAT(bessel_j0)
MT_DEFINE_FLOAT(bessel_j1)
MT_DEFINE_FLOAT(bessel_y0)
MT_DEFINE_FLOAT(bessel_y1)
MT_DEFINE_FLOAT(bessel_k0e)
MT_DEFINE_FLOAT(bessel_k1e)
