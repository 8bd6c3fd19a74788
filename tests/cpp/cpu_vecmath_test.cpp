// The elementary functions against long double, in units in the last place, over floats of every size and special
// values.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/capability.h"
#include "cpu/math/vecmath_special.h"

namespace mt::cpu {
namespace {

constexpr double wrong = 1e9;

template <class T>
double ulp_error(T got, long double want) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(want)) return std::isnan(got) ? 0 : wrong;
  const T rounded = static_cast<T>(want);
  if (std::isinf(rounded)) return got == rounded || std::fabs(got) > T(0.999999) * Limits::max() ? 0 : wrong;
  if (want == 0) return got == 0 && std::signbit(got) == std::signbit(want) ? 0 : wrong;
  int exponent;
  std::frexp(rounded, &exponent);
  return std::fabs(static_cast<double>(got - want)) / std::ldexp(1.0, std::max(exponent, Limits::min_exponent) - Limits::digits);
}

template <class T>
struct Function {
  const char* name;
  void (*levels[3])(const T*, T*, int);
  long double (*exact)(long double);
  double bound;           // as vecmath.h, vecmath_more.h or vecmath_double.cpp states
  T smallest = -INFINITY; // range in which the bound holds
  T largest = INFINITY;
};

#define LOOP(T, f)                                                          \
  MT_TARGET_BASELINE void f##_##T##_0(const T* x, T* __restrict y, int n) { \
    for (int i = 0; i < n; ++i) y[i] = vec::f(x[i]);                        \
  }                                                                         \
  MT_TARGET_AVX2 void f##_##T##_1(const T* x, T* __restrict y, int n) {     \
    for (int i = 0; i < n; ++i) y[i] = vec::f(x[i]);                        \
  }                                                                         \
  MT_TARGET_AVX512 void f##_##T##_2(const T* x, T* __restrict y, int n) {   \
    for (int i = 0; i < n; ++i) y[i] = vec::f(x[i]);                        \
  }
#define LEVELS(T, f) {f##_##T##_0, f##_##T##_1, f##_##T##_2}
#define ROW(T, f, ...) {#f, LEVELS(T, f), [](long double x) { return std::f(x); }, __VA_ARGS__}

// Every instruction-set level gives the same bits: the loops call the functions of the level in use.
template <class T>
void expect_within_bounds(const std::vector<Function<T>>& functions, const std::vector<T>& x) {
  const int levels = static_cast<int>(cpu_capability()) + 1, n = static_cast<int>(x.size());
  std::vector<T> y[3] = {x, x, x};
  for (const Function<T>& f : functions) {
    for (int level = 0; level < levels; ++level) f.levels[level](x.data(), y[level].data(), n);
    double worst = 0;
    T where = 0;
    for (int i = 0; i < n; ++i) {
      for (int level = 1; level < levels; ++level) {
        ASSERT_TRUE(std::isnan(y[0][i]) || std::memcmp(&y[0][i], &y[level][i], sizeof(T)) == 0) << f.name << "(" << x[i] << ")";
      }
      if (x[i] < f.smallest || x[i] > f.largest) continue;
      const double error = ulp_error(y[0][i], f.exact(x[i]));
      if (error > worst) worst = error, where = x[i];
    }
    EXPECT_LE(worst, f.bound) << f.name << " at " << where;
  }
}

// ---- floats ----

// clang-format off: a list, filled
LOOP(float, exp) LOOP(float, exp2) LOOP(float, expm1) LOOP(float, log) LOOP(float, log1p) LOOP(float, log2) LOOP(float, log10)
LOOP(float, sin) LOOP(float, cos) LOOP(float, tan) LOOP(float, tanh) LOOP(float, sigmoid) LOOP(float, erf) LOOP(float, atan)
LOOP(float, asin) LOOP(float, acos) LOOP(float, sinh) LOOP(float, cosh) LOOP(float, asinh) LOOP(float, acosh) LOOP(float, atanh)
LOOP(float, erfc_all) LOOP(float, lgamma)
    // clang-format on

    const std::vector<Function<float>> float_functions = {
        ROW(float, exp, 1.1),
        ROW(float, exp2, 1.1),
        ROW(float, expm1, 2),
        ROW(float, log, 1),
        ROW(float, log1p, 1.5),
        ROW(float, log2, 1),
        ROW(float, log10, 1),
        ROW(float, sin, 1, -0x1p30f, 0x1p30f),
        ROW(float, cos, 1, -0x1p30f, 0x1p30f),
        ROW(float, tan, 1, -0x1p30f, 0x1p30f),
        ROW(float, tanh, 2.5),
        ROW(float, erf, 1.5),
        ROW(float, atan, 0.6),
        ROW(float, asin, 0.6),
        ROW(float, acos, 0.6),
        ROW(float, sinh, 0.6),
        ROW(float, cosh, 0.6),
        ROW(float, asinh, 0.6),
        ROW(float, acosh, 0.6),
        ROW(float, atanh, 0.6),
        {"erfc", LEVELS(float, erfc_all), [](long double x) { return std::erfc(x); }, 0.6},
        ROW(float, lgamma, 0.6),
        {"sigmoid", LEVELS(float, sigmoid), [](long double x) { return 1 / (1 + std::exp(-x)); }, 2.5, -88.7f},
};

TEST(VecMath, ErrorsStayWithinTheStatedBoundAndLevelsAgree) {
  std::vector<float> x;
  for (uint64_t word = 0; word < (uint64_t{1} << 32); word += 10007) {
    const uint32_t bits = static_cast<uint32_t>(word);
    float value;
    std::memcpy(&value, &bits, 4);
    x.push_back(value);
  }
  x.insert(x.end(), {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, INFINITY, -INFINITY, NAN, 1e-45f, -1e-45f, 88.7f, 88.8f, -87.4f, -103.9f});
  expect_within_bounds(float_functions, x);
}

// ---- doubles ----

// clang-format off: a list, filled
LOOP(double, exp) LOOP(double, exp2) LOOP(double, expm1) LOOP(double, log) LOOP(double, log1p) LOOP(double, log2) LOOP(double, log10)
LOOP(double, sin) LOOP(double, cos) LOOP(double, tan) LOOP(double, sinh) LOOP(double, cosh) LOOP(double, tanh) LOOP(double, erf)
LOOP(double, erfc) LOOP(double, asin) LOOP(double, acos) LOOP(double, atan) LOOP(double, asinh) LOOP(double, acosh) LOOP(double, atanh)
    // clang-format on

    const std::vector<Function<double>> double_functions = {
        ROW(double, exp, 2),    ROW(double, exp2, 2),  ROW(double, expm1, 2), ROW(double, log, 0.7), ROW(double, log1p, 1),
        ROW(double, log2, 0.7), ROW(double, log10, 2), ROW(double, sin, 2),   ROW(double, cos, 2),   ROW(double, tan, 3),
        ROW(double, sinh, 3),   ROW(double, cosh, 2),  ROW(double, tanh, 3),  ROW(double, erf, 2),   ROW(double, erfc, 6),
        ROW(double, asin, 3),   ROW(double, acos, 2),  ROW(double, atan, 2),  ROW(double, asinh, 3), ROW(double, acosh, 3),
        ROW(double, atanh, 3),
};

// Doubles of every magnitude, the points where approximations change, and enough numbers for the lanes of a vector to differ.
std::vector<double> doubles() {
  std::vector<double> x;
  for (uint64_t i = 0, word = 0; i < 20000; ++i, word += 0x9e3779b97f4a7c15u) {
    double value;
    std::memcpy(&value, &word, 8);
    x.push_back(value);
    const double unit = static_cast<double>(word >> 11) * 0x1p-53;
    x.insert(x.end(), {4 * unit - 2, 60 * unit - 30, 1600 * unit - 800, 1 + (unit - 0.5) / 8});
  }
  x.insert(x.end(), {0.0,
                     -0.0,
                     1.0,
                     -1.0,
                     0.5,
                     double(INFINITY),
                     -double(INFINITY),
                     double(NAN),
                     5e-324,
                     -5e-324,
                     709.78,
                     709.79,
                     710.47,
                     -708.5,
                     -745.2,
                     1e6,
                     1e7,
                     1e300,
                     1e-300,
                     8.0,
                     100.0,
                     1000.0});
  return x;
}

TEST(VecMath, DoublesStayWithinTheStatedBoundAndLevelsAgree) { expect_within_bounds(double_functions, doubles()); }

// ---- special functions, by the vector calls of each level: doubles, and floats in doubles ----

// clang-format off: a list, filled
LOOP(double, bessel_i0e) LOOP(double, bessel_i1e) LOOP(double, bessel_j0) LOOP(double, bessel_j1) LOOP(double, bessel_y0)
LOOP(double, bessel_y1) LOOP(double, bessel_k0e) LOOP(double, bessel_k1e) LOOP(double, scaled_erfc) LOOP(float, bessel_i0e)
LOOP(float, bessel_i1e) LOOP(float, bessel_j0) LOOP(float, bessel_j1) LOOP(float, bessel_y0) LOOP(float, bessel_y1)
LOOP(float, bessel_k0e) LOOP(float, bessel_k1e) LOOP(float, scaled_erfc)
    // clang-format on

    // exp(x^2) erfc(x) for x >= 0 where the product under- or overflows: its continued fraction (P. Laplace), evaluated backwards.
    long double compute_scaled_erfc(long double x) {
  if (x < 9) return std::exp(x * x) * std::erfc(x);
  long double tail = 0;
  for (int k = 120; k > 0; --k) tail = k / (2 * (x + tail));
  return 0.56418958354775628694807945156077259L / (x + tail);
}
template <class T>
struct Special {
  const char* name;
  void (*levels[3])(const T*, T*, int);
  long double (*exact)(long double);
  double bound;  // in ULP
  double swing = 0, swings_from = 0;  // additional error for a function of magnitude 1 / sqrt(1 + x) that oscillates around 0
};
#define SPECIAL(T, f, exact, ...) {#f, LEVELS(T, f), [](long double x) -> long double { return exact; }, __VA_ARGS__}
#define SPECIALS(T, i, j, swing_j, y, swing_y, k, erfc)                  \
  {SPECIAL(T, bessel_i0e, std::cyl_bessel_i(0.0L, x) * std::exp(-x), i), \
   SPECIAL(T, bessel_j0, j0l(x), j, swing_j, 8),                         \
   SPECIAL(T, bessel_i1e, std::cyl_bessel_i(1.0L, x) * std::exp(-x), i), \
   SPECIAL(T, bessel_j1, j1l(x), j, swing_j, 8),                         \
   SPECIAL(T, bessel_k0e, std::cyl_bessel_k(0.0L, x) * std::exp(x), k),  \
   SPECIAL(T, bessel_y0, y0l(x), y, swing_y),                            \
   SPECIAL(T, bessel_k1e, std::cyl_bessel_k(1.0L, x) * std::exp(x), k),  \
   SPECIAL(T, bessel_y1, y1l(x), y, swing_y),                            \
   SPECIAL(T, scaled_erfc, compute_scaled_erfc(x), erfc)}

template <class T>
void expect_specials_within_bounds(const std::vector<Special<T>>& functions) {
  std::vector<T> x;
  for (int i = 0; i < 20000; ++i) {
    const double u = (i + 0.5) / 20000;
    x.push_back(static_cast<T>(u < 0.5 ? 24 * u : std::exp(16 * u - 8)));  // evenly spaced up to 12, then up to 2980
    x.push_back(static_cast<T>(std::exp(-20 * u)));
  }
  x.insert(x.end(), {2, 8, 3.75});
  const int levels = static_cast<int>(cpu_capability()) + 1, n = static_cast<int>(x.size());
  for (const Special<T>& f : functions) {
    std::vector<T> y[3] = {x, x, x};
    for (int level = 0; level < levels; ++level) f.levels[level](x.data(), y[level].data(), n);
    double worst = 0;
    T where = 0;
    for (int i = 0; i < n; ++i) {
      const long double want = f.exact(x[i]);
      for (int level = 0; level < levels; ++level) {
        const double off = std::fabs(static_cast<double>(y[level][i] - want)), at = static_cast<double>(x[i]);
        if (at > f.swings_from && off <= f.swing / std::sqrt(1 + at)) continue;
        const double error = ulp_error(y[level][i], want);
        if (error > worst) worst = error, where = x[i];
      }
    }
    EXPECT_LE(worst, f.bound) << f.name << " at " << where;
  }
}

LOOP(double, lgamma)
TEST(VecMath, LogGammaOfDoublesStaysWithinItsBound) {
  const Special<double> positive = SPECIAL(double, lgamma, lgammal(x), 7);
  expect_specials_within_bounds<double>({positive});
  const double zeros[] = {1, 2, 1 - 1e-12, 1 + 1e-12, 2 - 1e-12, 2 + 1e-12, 1e-308, 1e17, 1e200, 2.5e305};
  for (double x : zeros) EXPECT_LE(ulp_error(vec::lgamma(x), lgammal(x)), 7) << x;
  for (double x = -300.37; x < 0; x += 0.0103) {
    double y;
    positive.levels[static_cast<int>(cpu_capability())](&x, &y, 1);
    EXPECT_NEAR(y, static_cast<double>(lgammal(x)), 1e-15 * (1 + std::fabs(std::lgamma(1 - x)) + std::fabs(y))) << x;
  }
  for (double x : {0.0, -0.0, -1.0, -7.0, -1e300, double(INFINITY), -double(INFINITY)}) EXPECT_EQ(vec::lgamma(x), INFINITY) << x;
  EXPECT_TRUE(std::isnan(vec::lgamma(double(NAN))));
}

TEST(VecMath, SpecialFunctionsOfDoublesStayWithinTheStatedBounds) {
  expect_specials_within_bounds<double>(SPECIALS(double, 12, 9, 2e-15, 6, 2e-15, 8, 7));
}
TEST(VecMath, SpecialFunctionsOfFloatsAreRoundedNearlyOnce) {
  expect_specials_within_bounds<float>(SPECIALS(float, 0.6, 0.6, 1e-9, 0.6, 2e-9, 0.6, 0.6));
}
template <class T>
class SpecialEdges : public testing::Test {};
using EdgeTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(SpecialEdges, EdgeTypes);
TYPED_TEST(SpecialEdges, AreTheirLimits) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN(), tiny = std::numeric_limits<T>::denorm_min();
  const T huge = std::numeric_limits<T>::max();
  for (T x : {inf, -inf, nan}) EXPECT_TRUE(std::isnan(vec::bessel_j0(x)) && std::isnan(vec::bessel_j1(x))) << x;
  for (T x : {inf, -inf, nan, T(-1), -tiny, -huge}) EXPECT_TRUE(std::isnan(vec::bessel_y0(x)) && std::isnan(vec::bessel_y1(x))) << x;
  for (T x : {-inf, nan, T(-1), -tiny, -huge}) EXPECT_TRUE(std::isnan(vec::bessel_k0e(x)) && std::isnan(vec::bessel_k1e(x))) << x;
  EXPECT_TRUE(std::isnan(vec::bessel_i0e(nan)) && std::isnan(vec::bessel_i1e(nan)) && std::isnan(vec::scaled_erfc(nan)));
  for (T zero : {T(0), T(-0.0)}) {
    EXPECT_EQ(vec::bessel_j0(zero), 1);
    EXPECT_EQ(vec::bessel_i0e(zero), 1);
    EXPECT_EQ(vec::scaled_erfc(zero), 1);
    EXPECT_TRUE(vec::bessel_j1(zero) == 0 && std::signbit(vec::bessel_j1(zero)) == std::signbit(zero));
    EXPECT_TRUE(vec::bessel_y0(zero) == -inf && vec::bessel_y1(zero) == -inf);
    EXPECT_TRUE(vec::bessel_k0e(zero) == inf && vec::bessel_k1e(zero) == inf);
  }
  EXPECT_TRUE(vec::bessel_y1(tiny) == -inf && vec::bessel_k1e(tiny) == inf);
  EXPECT_NEAR(vec::bessel_k0e(tiny), 0.11593151565841245 - std::log(static_cast<double>(tiny)), 1e-4);  // log(2) minus Euler's constant
  const T least = std::numeric_limits<T>::min();
  EXPECT_EQ(vec::bessel_j1(least), least / 2);
  EXPECT_TRUE(vec::bessel_i0e(inf) == 0 && vec::bessel_k0e(inf) == 0 && vec::bessel_k1e(inf) == 0 && vec::scaled_erfc(inf) == 0);
  EXPECT_TRUE(vec::scaled_erfc(-inf) == inf && vec::scaled_erfc(-huge) == inf && vec::scaled_erfc(T(-27)) == inf);
  EXPECT_NEAR(vec::scaled_erfc(T(1e17)) * T(1e17), 0.56418958354775628695, 1e-7);
  EXPECT_NEAR(vec::scaled_erfc(T(-3)) / (2 * std::exp(9.0) - static_cast<double>(vec::scaled_erfc(T(3)))), 1, 1e-7);
  EXPECT_EQ(vec::bessel_i1e(T(-3)), -vec::bessel_i1e(T(3)));
  EXPECT_EQ(vec::bessel_j0(T(-20)), vec::bessel_j0(T(20)));
  for (T x : {T(3), T(20), T(3e7)}) EXPECT_EQ(vec::bessel_j1(-x), -vec::bessel_j1(x));
  EXPECT_NEAR(vec::bessel_j0(T(3e7)), j0(static_cast<double>(3e7f)), 1e-11);
  EXPECT_NEAR(vec::bessel_y1(T(3e7)), y1(static_cast<double>(3e7f)), 1e-11);
}

TEST(VecMath, TheInverseOfErfStaysWithinItsBound) {
  const long double per_root = 2 / std::sqrt(std::acos(-1.0L));
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    // (erf(y) - p) / slope is the error of y as the inverse of p.
    const double u = (i + 0.5) / 20000;
    const double p = u < 0.5 ? 2 * u : 1 - std::exp(-72 * (u - 0.5)), y = vec::inverse_erf(p, (1 - p) * (1 + p));
    if (p == 1) continue;
    const long double beyond = p < 0.5 ? std::erf((long double)y) - p : (1 - (long double)p) - std::erfc((long double)y);
    worst = std::max(worst, ulp_error(y, y - beyond / (per_root * std::exp(-(long double)y * y))));
  }
  EXPECT_LE(worst, 4);
  EXPECT_EQ(vec::inverse_erf(-1, 0), -INFINITY);
  EXPECT_TRUE(std::isnan(vec::inverse_erf(2, -3)));
}

TEST(VecMath, PowersAnglesAndLengthsOfDoublesFollowCsSpecialCases) {
  const double values[] = {0.0,
                           -0.0,
                           1,
                           -1,
                           2,
                           -2,
                           3,
                           -3,
                           0.5,
                           -0.5,
                           1e-310,
                           -1e-310,
                           double(INFINITY),
                           -double(INFINITY),
                           double(NAN),
                           0x1p52,
                           0x1p52 + 1,
                           -0x1p52 - 1,
                           0x1p53,
                           1.5,
                           -2.5,
                           33,
                           -33,
                           1023,
                           1024,
                           -1074,
                           1e308,
                           -1e308,
                           0.688};
  for (double x : values) {
    for (double y : values) {
      const auto a = static_cast<long double>(x), b = static_cast<long double>(y);
      EXPECT_LE(ulp_error(vec::pow(x, y), std::pow(a, b)), 2) << x << " ^ " << y << " gave " << vec::pow(x, y);
      EXPECT_LE(ulp_error(vec::atan2(x, y), std::atan2(a, b)), 2) << x << ", " << y << " gave " << vec::atan2(x, y);
      EXPECT_LE(ulp_error(vec::hypot(x, y), std::hypot(a, b)), 2) << x << ", " << y << " gave " << vec::hypot(x, y);
    }
  }
  const std::vector<double> x = doubles();
  for (size_t i = 0; i + 7 < x.size(); ++i) {
    const double base = std::fabs(x[i]), exponent = x[i + 7];
    const long double want = std::pow(static_cast<long double>(base), static_cast<long double>(exponent));
    ASSERT_LE(ulp_error(vec::pow(base, exponent), want), 2) << base << " ^ " << exponent;
  }
}

TEST(VecMath, TheShorterExponentialHasTheSameBits) {
  for (float x = -200; x <= 0; x += 0.0007f)
    ASSERT_EQ(std::bit_cast<uint32_t>(vec::exp_nonpositive(x)), std::bit_cast<uint32_t>(vec::exp(x))) << x;
  for (float x : {-0.0f, -1e-40f, -1e30f, -INFINITY}) ASSERT_EQ(vec::exp_nonpositive(x), vec::exp(x)) << x;
  EXPECT_TRUE(std::isnan(vec::exp_nonpositive(float(NAN))));
}

TEST(VecMath, MaskedElementsNeverUnderflow) {
  for (volatile float hidden : {-INFINITY, std::numeric_limits<float>::lowest(), -1000.0f, -300.0f}) {
    std::feclearexcept(FE_ALL_EXCEPT);
    volatile float weight = vec::exp_nonpositive(hidden);
    EXPECT_EQ(weight, 0.0f);
    weight = vec::exp(hidden);
    EXPECT_EQ(weight, 0.0f);
    weight = vec::exp2(hidden);
    EXPECT_EQ(weight, 0.0f);
    EXPECT_FALSE(std::fetestexcept(FE_UNDERFLOW)) << hidden;
  }
}

TEST(VecMath, TheNormalCdfIsAccurateEverywhere) {
  for (float x = -7; x < 7; x += 0.001f) {
    const double want = 0.5 * std::erfc(-static_cast<double>(x) / std::sqrt(2.0));
    EXPECT_NEAR(vec::normal_cdf(x), want, 1.7e-7) << x;
    if (x >= 0) {
      EXPECT_NEAR(vec::normal_cdf(x) / want, 1, 3 * 0x1p-24) << x;
    }
    EXPECT_NEAR(x * vec::normal_cdf(x), x * want, 1e-6) << x;  // gelu; torch's error is as large between -4 and -3
  }
  for (float x = 5.4f; x < 1e30f; x *= 1.5f) {
    EXPECT_EQ(vec::normal_cdf(-x), 0.0f) << x;
    EXPECT_EQ(vec::normal_cdf(x), 1.0f) << x;
  }
  EXPECT_EQ(vec::normal_cdf(-INFINITY), 0.0f);
  EXPECT_EQ(vec::normal_cdf(INFINITY), 1.0f);
  EXPECT_TRUE(std::isnan(vec::normal_cdf(NAN)));
}

TEST(VecMath, PowerFollowsCsSpecialCases) {
  const float values[] = {0.0f,     -0.0f,    1,          -1,   2,      -2,      3,     -3,     0.5f,
                          -0.5f,    INFINITY, -INFINITY,  NAN,  1e-40f, -1e-40f, 3e38f, -3e38f, 8388609,
                          16777216, -8388609, 8388607.5f, 1.5f, -2.5f,  33,      -33,   127,    128};
  for (float x : values) {
    for (float y : values) {
      const long double want = std::pow(static_cast<long double>(x), static_cast<long double>(y));
      EXPECT_LE(ulp_error(vec::pow(x, y), want), 1) << x << " ^ " << y << " gave " << vec::pow(x, y);
    }
  }
}

TEST(VecMath, AnglesAndLengthsOfPointsFollowCsSpecialCases) {
  const float values[] = {0.0f, -0.0f, 1, -1, 1e-45f, -1e-45f, 3e-20f, -0.3f, 2.5f, -7e18f, 3e38f, INFINITY, -INFINITY, NAN};
  for (float y : values) {
    for (float x : values) {
      const auto a = static_cast<long double>(y), b = static_cast<long double>(x);
      EXPECT_LE(ulp_error(vec::atan2(y, x), std::atan2(a, b)), 0.6) << y << ", " << x << " gave " << vec::atan2(y, x);
      EXPECT_LE(ulp_error(vec::hypot(y, x), std::hypot(a, b)), 0.6) << y << ", " << x << " gave " << vec::hypot(y, x);
    }
  }
}

}  // namespace
}  // namespace mt::cpu
