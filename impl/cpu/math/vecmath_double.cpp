// The functions of doubles that vecmath.h declares: straight-line code, for the vectors of each clone.
//
// Errors in units in the last place, from tests/cpp/cpu_vecmath_test.cpp: 0.7 for the logarithms, 6 for erfc, 3 for tan, tanh and sinh, 2
// for the others; below AVX2 the C library's functions are called, whose logarithms are within 2. Coefficients are our own minimax fits.
// Constants that end in _high and _low are one number as a sum of two.
#define MT_DEFINES_VECTOR_CALLS  // by hand, since the compiler's own AVX2 versions do not use fused multiply-adds

#include "cpu/math/vecmath_angle.h"
#include "cpu/math/vecmath_calls.h"
#include "cpu/math/vecmath_more.h"

namespace mt::cpu::vec {
namespace {

#define MT_VEC __attribute__((always_inline)) inline

using namespace detail;

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
constexpr double log2e_high = 0x1.71547652b82fep+0, log2e_low = 0x1.777d0ffda0d24p-56;

MT_VEC double round_to_nearest(double x) { return (x + round_double) - round_double; }
// 2^n for an integer n in [-1022, 1023].
MT_VEC double power_of_two_wide(double n) {
  return std::bit_cast<double>((std::bit_cast<uint64_t>(n + round_double) << 52) + 0x3ff0000000000000u);
}
// y * 2^n in two steps, so that subnormal results are rounded once; n in [-2000, 2000]. Both exponents come from the last bits of n.
MT_VEC double scale_wide(double y, double n) {
  const uint64_t bits = std::bit_cast<uint64_t>(n + (round_double + 2046.0)), half = bits >> 1;
  return y * std::bit_cast<double>(half << 52) * std::bit_cast<double>((bits - half) << 52);
}

struct Reduced {
  double n, r;  // x = n ln(2) + r
};
MT_VEC Reduced split_by_ln2(double x) {
  const double n = round_to_nearest(x * log2e_high);
  return {n, fused(n, -0x1.abc9e3b39803fp-56, fused(n, -0x1.62e42fefa39efp-1, x))};
}
// e^r - 1 for |r| <= ln(2) / 2. In pairs (G. Estrin, 1960): a single chain of products would leave units idle.
MT_VEC double expm1_near(double r) {
  const double z = r * r, z2 = z * z;
  const double a = fused(0.16666666666666669, r, 0.5), b = fused(0.008333333333330062, r, 0.04166666666662413);
  const double c = fused(0.00019841269863053618, r, 0.0013888888917213717);
  const double d = fused(2.7557268459997064e-06, r, 2.4801521295954376e-05);
  const double e = fused(2.510038549551032e-08, r, 2.7620088445409746e-07);
  return fused(z, fused(fused(e, z2, fused(d, z, c)), z2, fused(b, z, a)), r);
}
MT_VEC double clamp_to(double x, double low, double high) {
  x = x > high ? high : x;
  return x < low ? low : x;
}

struct function_exp {
  static MT_VEC double compute(double x) {
    const Reduced reduced = split_by_ln2(clamp_to(x, -746.0, 710.0));
    return scale_wide(1.0 + expm1_near(reduced.r), reduced.n);
  }
};
struct function_exp2 {
  static MT_VEC double compute(double x) {
    const double bounded = clamp_to(x, -1076.0, 1025.0), n = round_to_nearest(bounded);
    return scale_wide(1.0 + expm1_near((bounded - n) * 0.69314718055994530942), n);
  }
};
// (e^x - 1) / 4, finite wherever sinh is finite.
MT_VEC double quarter_expm1(double x) {
  const Reduced reduced = split_by_ln2(clamp_to(x, -40.0, 710.48));
  const double scale = power_of_two_wide(reduced.n - 2.0);
  return fused(scale, expm1_near(reduced.r), scale - 0.25);
}
struct function_expm1 {
  static MT_VEC double compute(double x) {
    const double y = 4.0 * quarter_expm1(x);
    return x == 0.0 ? x : y;
  }
};
struct function_sinh {
  static MT_VEC double compute(double x) {
    const double quarter = quarter_expm1(magnitude(x)), half = 2.0 * quarter;
    return detail::copy_sign(half + quarter / (half + 0.5), x);
  }
};
struct function_cosh {
  static MT_VEC double compute(double x) {
    const double half = fused(2.0, quarter_expm1(magnitude(x)), 0.5);
    return half + 0.25 / half;
  }
};
struct function_tanh {
  static MT_VEC double compute(double x) {
    const double t = 4.0 * quarter_expm1(2.0 * clamp_to(magnitude(x), 0.0, 20.0));
    return detail::copy_sign(t / (t + 2.0), x);
  }
};

// (log((1 + s) / (1 - s)) - 2 s - s^3 2 / 3) / s^5 for z = s^2.
MT_VEC double log_tail(double z) {
  double p = 0.1291349606680315;
  p = fused(p, z, 0.13285967273890614);
  p = fused(p, z, 0.1538557450045883);
  p = fused(p, z, 0.18181808251607398);
  p = fused(p, z, 0.2222222227107745);
  p = fused(p, z, 0.2857142857133856);
  return fused(p, z, 0.4);
}
struct Mantissa {
  double e, f;  // x = 2^e (1 + f), 1 + f in [sqrt(1/2), sqrt(2))
};
MT_VEC Mantissa mantissa_of(double x) {
  const bool tiny = x < std::numeric_limits<double>::min();
  const uint64_t bits = std::bit_cast<uint64_t>(tiny ? x * 0x1p54 : x);
  // Computes in unsigned arithmetic, since AVX2 has no arithmetic shift of 64 bits: adds 2048 to the exponent and subtracts it below.
  const uint64_t exponent = (bits - 0x3fe6a09e667f3bcdu + 0x8000000000000000u) >> 52;
  const double e = std::bit_cast<double>(exponent + std::bit_cast<uint64_t>(round_double)) - (round_double + 2048.0);
  return {e - (tiny ? 54.0 : 0.0), std::bit_cast<double>(bits - ((exponent - 2048u) << 52)) - 1.0};
}
// log(1 + f) as high + low.
struct Split {
  double high, low;
};
MT_VEC Split log_of(double f) {
  const double s = f / (2.0 + f), z = s * s, half = 0.5 * f, high = fused(-half, f, f);
  const double square = half * f;
  return {high, fused(s, fused(z, fused(z, log_tail(z), 0x1.5555555555555p-1), square), fused(-half, f, f - high))};
}
MT_VEC double replace_log_special_cases(double x, double y) {
  y = x == 0.0 ? -infinity : y;
  y = x < 0.0 ? nan : y;
  return x < infinity ? y : x;
}
MT_VEC double compute_log(double e, Split log, double more) {
  const double whole = e * 0x1.62e42fefa3000p-1;  // exact
  const double sum = whole + log.high;
  return sum + (((whole - sum) + log.high) + (fused(e, 0x1.3de6af278ece6p-42, log.low) + more));
}
struct function_log {
  static MT_VEC double compute(double x) {
    const Mantissa m = mantissa_of(x);
    return replace_log_special_cases(x, compute_log(m.e, log_of(m.f), 0.0));
  }
};
struct function_log1p {
  static MT_VEC double compute(double x) {
    const double u = 1.0 + x;
    const Mantissa m = mantissa_of(u);
    const double lost = x > 1.0 ? 1.0 - (u - x) : x - (u - 1.0);
    double y = compute_log(m.e, log_of(m.f), lost / u);
    y = x == -1.0 ? -infinity : y;
    y = x < -1.0 ? nan : y;
    y = x == 0.0 ? x : y;
    return x < infinity ? y : x;
  }
};
// log(1 + f) times the number high + low.
MT_VEC Split log_times(Split log, double high, double low) {
  const double product = log.high * high;
  return {product, fused(log.high, high, -product) + fused(log.high, low, log.low * high)};
}
struct function_log2 {
  static MT_VEC double compute(double x) {
    const Mantissa m = mantissa_of(x);
    const Split log = log_times(log_of(m.f), log2e_high, log2e_low);
    const double sum = m.e + log.high;
    return replace_log_special_cases(x, sum + (((m.e - sum) + log.high) + log.low));
  }
};
struct function_log10 {
  static MT_VEC double compute(double x) {
    const Mantissa m = mantissa_of(x);
    const Split log = log_times(log_of(m.f), 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
    const double whole = m.e * 0x1.34413509f7000p-2, sum = whole + log.high;  // the product is exact
    return replace_log_special_cases(x, sum + (((whole - sum) + log.high) + fused(m.e, 0x1.3fde623e2566bp-43, log.low)));
  }
};

struct function_sin {
  static constexpr double limit = largest_angle;
  static double exact(double x) { return std::sin(x); }
  static MT_VEC double compute(double x) {
    const double y = sine_of(angle_of(x));
    return x == 0.0 ? x : y;
  }
};
struct function_cos {
  static constexpr double limit = largest_angle;
  static double exact(double x) { return std::cos(x); }
  static MT_VEC double compute(double x) { return cosine_of(angle_of(x)); }
};
struct function_tan {
  static constexpr double limit = largest_angle;
  static double exact(double x) { return std::tan(x); }
  static MT_VEC double compute(double x) {
    const Angle a = angle_of(x);
    const bool odd = (a.quadrant & 1u) != 0;
    const double y = (odd ? -a.cosine : a.sine) / (odd ? a.sine : a.cosine);
    return x == 0.0 ? x : y;
  }
};

// erfc(a) for a >= 0: exp(-a^2) / (1 + 2 a) times a polynomial in (a - 3) / (a + 3).
MT_VEC double erfc_upper(double a) {
  const double b = a > 27.5 ? 27.5 : a;  // beyond this the result rounds to 0
  const double wide = b + 3.0, denominator = fused(2.0, b, 1.0), inverse = 1.0 / (wide * denominator);
  const double t = (b - 3.0) * (denominator * inverse);
  const double z = t * t;  // in pairs: a single chain of products would leave units idle
  double p = fused(-1.0672595214976916e-09, t, -6.467844455782987e-09);
  p = fused(p, z, fused(-5.756503996147508e-09, t, 4.1134756392158016e-08));
  p = fused(p, z, fused(8.977480611608504e-08, t, -1.4410354379681688e-07));
  p = fused(p, z, fused(-6.056586389337659e-07, t, 3.6066863475424126e-07));
  p = fused(p, z, fused(3.4661596712796173e-06, t, -7.34163165466839e-07));
  p = fused(p, z, fused(-2.0098253837625926e-05, t, 4.950552349634667e-06));
  p = fused(p, z, fused(0.0001250987929274765, t, -0.00010516006241299548));
  p = fused(p, z, fused(-0.000779832185525928, t, 0.0018886903981696801));
  p = fused(p, z, fused(0.002529391807900063, t, -0.023770514921937647));
  p = fused(p, z, fused(0.06830802734440604, t, -0.11927366341516857));
  p = fused(p, z, fused(0.12964515870275026, t, -0.04756229435345306));
  p = fused(p, z, fused(-0.1356211061245811, t, 1.2530080582697296));
  const double square = b * b;
  const Reduced reduced = split_by_ln2(-square);
  const double power = 1.0 + expm1_near(reduced.r - fused(b, b, -square));
  return scale_wide(p * (wide * inverse) * power, reduced.n);
}
struct function_erf {
  static MT_VEC double compute(double x) {
    const double a = magnitude(x), z = a * a;
    double p = -7.795898827002142e-10;
    p = fused(p, z, 1.3720064546777686e-08);
    p = fused(p, z, -1.6208483801871705e-07);
    p = fused(p, z, 1.6447424703317362e-06);
    p = fused(p, z, -1.492473690741966e-05);
    p = fused(p, z, 0.00012055294904839707);
    p = fused(p, z, -0.0008548325975389692);
    p = fused(p, z, 0.0052239776071164225);
    p = fused(p, z, -0.02686617064323777);
    p = fused(p, z, 0.11283791670945006);
    p = fused(p, z, -0.37612638903183543);
    p = fused(p, z, 0.12837916709551256);
    return detail::copy_sign(select(a < 1.0, fused(a, p, a), 1.0 - erfc_upper(a > 6.0 ? 6.0 : a)), x);
  }
};
struct function_erfc {
  static MT_VEC double compute(double x) {
    const double upper = erfc_upper(magnitude(x));
    return x < 0.0 ? 2.0 - upper : upper;
  }
};

// atan(t) - t for 0 <= t <= 1.
MT_VEC double atan_minus_argument(double t) {
  const double z = t * t;
  double p = 7.767624330289919e-06;
  p = fused(p, z, -9.371186345052626e-05);
  p = fused(p, z, 0.0005376839297396244);
  p = fused(p, z, -0.0019612554271685326);
  p = fused(p, z, 0.005140912856746939);
  p = fused(p, z, -0.010412153260359241);
  p = fused(p, z, 0.01718398172211335);
  p = fused(p, z, -0.024191345810140718);
  p = fused(p, z, 0.030330719265790507);
  p = fused(p, z, -0.035271331066871296);
  p = fused(p, z, 0.03938687540798632);
  p = fused(p, z, -0.043306538430670664);
  p = fused(p, z, 0.04758080083637821);
  p = fused(p, z, -0.052624922290256754);
  p = fused(p, z, 0.05882264416776449);
  p = fused(p, z, -0.06666657934573768);
  p = fused(p, z, 0.07692307078827029);
  p = fused(p, z, -0.0909090906193528);
  p = fused(p, z, 0.11111111110268297);
  p = fused(p, z, -0.14285714285701234);
  p = fused(p, z, 0.1999999999999992);
  p = fused(p, z, -0.3333333333333333);
  return t * z * p;
}
struct function_atan {
  static MT_VEC double compute(double x) {
    const double a = magnitude(x);
    const bool large = a > 1.0;
    const double t = large ? 1.0 / a : a, y = t + atan_minus_argument(t);
    return detail::copy_sign(large ? half_pi_high - (y - half_pi_low) : y, x);
  }
};
struct function_atan2 {
  static MT_VEC double compute(double y, double x) {
    const double ay = magnitude(y), ax = magnitude(x);
    const bool steep = ay > ax;
    const double low = steep ? ax : ay, high = steep ? ay : ax;
    double t = low / high;
    t = high == 0.0 ? 0.0 : t;      // both zero
    t = low == infinity ? 1.0 : t;  // both infinite
    double r = t + atan_minus_argument(t);
    r = steep ? half_pi_high - (r - half_pi_low) : r;
    r = std::bit_cast<uint64_t>(x) >> 63 != 0 ? 2.0 * half_pi_high - (r - 2.0 * half_pi_low) : r;
    r = (x != x) | (y != y) ? nan : r;
    return detail::copy_sign(r, y);
  }
};

// asin(t) - t for 0 <= t <= 1/2 and z = t^2.
MT_VEC double asin_minus_argument(double t, double z) {
  double p = 0.028757851367421566;
  p = fused(p, z, -0.014851887071247204);
  p = fused(p, z, 0.01740087944269402);
  p = fused(p, z, 0.005457506718640358);
  p = fused(p, z, 0.01032281435018578);
  p = fused(p, z, 0.011479177415184906);
  p = fused(p, z, 0.013971212973552933);
  p = fused(p, z, 0.017352392720869973);
  p = fused(p, z, 0.02237217294214989);
  p = fused(p, z, 0.030381944138531247);
  p = fused(p, z, 0.04464285714635543);
  p = fused(p, z, 0.07499999999998433);
  p = fused(p, z, 0.16666666666666669);
  return t * z * p;
}
struct function_asin {
  static MT_VEC double compute(double x) {
    const double a = magnitude(x);
    const bool large = a > 0.5;
    const double half = 0.5 * (1.0 - a), z = large ? half : a * a, t = large ? std::sqrt(half) : a;
    const double y = t + asin_minus_argument(t, z);
    return detail::copy_sign(large ? half_pi_high - (2.0 * y - half_pi_low) : y, x);
  }
};
struct function_acos {
  static MT_VEC double compute(double x) {
    const double a = magnitude(x);
    const bool large = a > 0.5;
    const double half = 0.5 * (1.0 - a), z = large ? half : a * a, t = large ? std::sqrt(half) : x;
    const double y = t + asin_minus_argument(t, z);
    const double far = x < 0.0 ? 2.0 * half_pi_high - (2.0 * y - 2.0 * half_pi_low) : 2.0 * y;
    return large ? far : half_pi_high - (y - half_pi_low);
  }
};

// 2^(y log2|x|), with the logarithm and its product with y as sums of two numbers: the exponent may cost ten bits. Then C's special cases.
struct function_pow {
  static MT_VEC double compute(double x, double y) {
    const double base = magnitude(x);
    const Mantissa mantissa = mantissa_of(base);
    const double f = mantissa.f, d = 2.0 + f, s = f / d, d_lost = f - (d - 2.0);
    const double s_low = (fused(-s, d, f) - s * d_lost) / d;
    const double z = s * s, z_low = fused(s, s, -z) + 2.0 * s * s_low;
    const double cube = z * s, cube_low = fused(z, s, -cube) + fused(z, s_low, z_low * s);
    const double rest = z * log_tail(z), u = 0x1.5555555555555p-1 + rest;
    const double u_low = ((0x1.5555555555555p-1 - u) + rest) + 0x1.5555555555555p-55;
    const double tail = cube * u, tail_low = fused(cube, u, -tail) + fused(cube, u_low, cube_low * u);
    const double high = fused(2.0, s, tail), low = (fused(2.0, s, -high) + tail) + fused(2.0, s_low, tail_low);
    const Split log = log_times({high, low}, log2e_high, log2e_low);
    const double sum = mantissa.e + log.high, sum_low = ((mantissa.e - sum) + log.high) + log.low;
    const double product = y * sum;
    double t = clamp_to(product, -1100.0, 1100.0);
    const double t_low = t == product ? fused(y, sum, -product) + y * sum_low : 0.0;
    const double n = round_to_nearest(t);
    const double power = scale_wide(1.0 + expm1_near(((t - n) + t_low) * 0.69314718055994530942), n);
    const double size_y = magnitude(y);
    // Special cases: bases 0 and infinity, then infinite exponents.
    const bool extreme = (base == 0.0) | (base == infinity), grows = (base == infinity) == (y > 0.0);
    double result = extreme ? (grows ? infinity : 0.0) : power;
    const bool to_infinity = (base > 1.0) == (y > 0.0);
    result = size_y == infinity ? (base == 1.0 ? 1.0 : to_infinity ? infinity : 0.0) : result;
    // Whether y is an integer, and an odd one. Every double from 2^53 on is even.
    const bool large = size_y >= 0x1p52;
    const double shifted = large ? size_y : size_y + 0x1p52;
    const bool whole = large | ((shifted - 0x1p52) == size_y);
    const uint64_t odd = (whole & (size_y < 0x1p53)) ? std::bit_cast<uint64_t>(shifted) & 1u : 0u;
    result = std::bit_cast<double>(std::bit_cast<uint64_t>(result) | (std::bit_cast<uint64_t>(x) & (odd << 63)));
    result = (x < 0.0) & !whole & (base != infinity) ? nan : result;
    result = (x != x) | (y != y) ? x + y : result;
    return (x == 1.0) | (y == 0.0) ? 1.0 : result;
  }
};

}  // namespace
}  // namespace mt::cpu::vec

#define MT_DEFINE(name) MT_VECTORS(name, std::name)
MT_UNARY_DOUBLES(MT_DEFINE)
#undef MT_DEFINE
#define MT_DEFINE(name) MT_BINARY_VECTORS(name, std::name)
MT_BINARY_DOUBLES(MT_DEFINE)
#undef MT_DEFINE
