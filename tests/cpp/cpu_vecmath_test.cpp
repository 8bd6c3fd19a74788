// The elementary functions against long double, in units in the last place, over floats of every size and special
// values.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "cpu/capability.h"
#include "cpu/vecmath_special.h"

namespace mt::cpu {
namespace {

constexpr double wrong = 1e9;

double ulp_error(float got, long double want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : wrong;
  const float rounded = static_cast<float>(want);
  if (std::isinf(rounded)) return got == rounded || std::fabs(got) > 3.40282e38f ? 0 : wrong;
  if (want == 0) return got == 0 && std::signbit(got) == std::signbit(want) ? 0 : wrong;
  int exponent;
  std::frexp(rounded, &exponent);
  return std::fabs(static_cast<double>(got - want)) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

struct Function {
  const char* name;
  void (*levels[3])(const float*, float*, int);
  long double (*exact)(long double);
  double bound;    // the one that vecmath.h states
  float smallest;  // where it holds
  float largest;
};

#define LOOP(f)                                                    \
  MT_TARGET_BASELINE void f##_0(const float* x, float* y, int n) { \
    for (int i = 0; i < n; ++i) y[i] = vec::f(x[i]);               \
  }                                                                \
  MT_TARGET_AVX2 void f##_1(const float* x, float* y, int n) {     \
    for (int i = 0; i < n; ++i) y[i] = vec::f(x[i]);               \
  }                                                                \
  MT_TARGET_AVX512 void f##_2(const float* x, float* y, int n) {   \
    for (int i = 0; i < n; ++i) y[i] = vec::f(x[i]);               \
  }
LOOP(exp)
LOOP(exp2) LOOP(expm1) LOOP(log) LOOP(log1p) LOOP(log2) LOOP(log10) LOOP(sin) LOOP(cos) LOOP(tan) LOOP(tanh)
    LOOP(sigmoid) LOOP(erf) LOOP(atan) LOOP(asin) LOOP(acos) LOOP(sinh) LOOP(cosh) LOOP(asinh) LOOP(acosh) LOOP(atanh)
        LOOP(erfc_all) LOOP(lgamma)
#define ROW(f, bound, low, high)                                                          \
  {                                                                                       \
#f, {f##_0, f##_1, f##_2 }, [](long double x) { return std::f(x); }, bound, low, high \
  }

        const Function functions[] = {
            ROW(exp, 1.1, -INFINITY, INFINITY),
            ROW(exp2, 1.1, -INFINITY, INFINITY),
            ROW(expm1, 2, -INFINITY, INFINITY),
            ROW(log, 1, -INFINITY, INFINITY),
            ROW(log1p, 1.5, -INFINITY, INFINITY),
            ROW(log2, 1, -INFINITY, INFINITY),
            ROW(log10, 1, -INFINITY, INFINITY),
            ROW(sin, 1, -0x1p30f, 0x1p30f),
            ROW(cos, 1, -0x1p30f, 0x1p30f),
            ROW(tan, 1, -0x1p30f, 0x1p30f),
            ROW(tanh, 2.5, -INFINITY, INFINITY),
            ROW(erf, 1.5, -INFINITY, INFINITY),
            ROW(atan, 0.6, -INFINITY, INFINITY),
            ROW(asin, 0.6, -INFINITY, INFINITY),
            ROW(acos, 0.6, -INFINITY, INFINITY),
            ROW(sinh, 0.6, -INFINITY, INFINITY),
            ROW(cosh, 0.6, -INFINITY, INFINITY),
            ROW(asinh, 0.6, -INFINITY, INFINITY),
            ROW(acosh, 0.6, -INFINITY, INFINITY),
            ROW(atanh, 0.6, -INFINITY, INFINITY),
            {"erfc", {erfc_all_0, erfc_all_1, erfc_all_2}, [](long double x) { return std::erfc(x); }, 0.6, -INFINITY, INFINITY},
            ROW(lgamma, 0.6, -INFINITY, INFINITY),
            {"sigmoid",
             {sigmoid_0, sigmoid_1, sigmoid_2},
             [](long double x) { return 1 / (1 + std::exp(-x)); },
             2.5,
             -88.7f,
             INFINITY},
};

TEST(VecMath, ErrorsStayWithinTheStatedBoundAndLevelsAgree) {
  const int levels = static_cast<int>(cpu_capability()) + 1;
  std::vector<float> x;
  for (uint64_t word = 0; word < (uint64_t{1} << 32); word += 10007) {
    const uint32_t bits = static_cast<uint32_t>(word);
    float value;
    std::memcpy(&value, &bits, 4);
    x.push_back(value);
  }
  for (float special :
       {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, INFINITY, -INFINITY, NAN, 1e-45f, -1e-45f, 88.7f, 88.8f, -87.4f, -103.9f}) {
    x.push_back(special);
  }
  const int n = static_cast<int>(x.size());
  std::vector<float> y[3] = {std::vector<float>(x.size()), std::vector<float>(x.size()), std::vector<float>(x.size())};
  for (const Function& f : functions) {
    for (int level = 0; level < levels; ++level) f.levels[level](x.data(), y[level].data(), n);
    double worst = 0;
    float where = 0;
    for (int i = 0; i < n; ++i) {
      for (int level = 1; level < levels; ++level) {
        ASSERT_TRUE(std::isnan(y[0][i]) || std::memcmp(&y[0][i], &y[level][i], 4) == 0) << f.name << "(" << x[i] << ")";
      }
      if (x[i] < f.smallest || x[i] > f.largest) continue;
      const double error = ulp_error(y[0][i], f.exact(x[i]));
      if (error > worst) worst = error, where = x[i];
    }
    EXPECT_LE(worst, f.bound) << f.name << " at " << where;
  }
}

// ---- doubles ----

double ulp_error(double got, long double want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : wrong;
  const double rounded = static_cast<double>(want);
  if (std::isinf(rounded)) return got == rounded || std::fabs(got) > 1.797693e308 ? 0 : wrong;
  if (want == 0) return got == 0 && std::signbit(got) == std::signbit(want) ? 0 : wrong;
  int exponent;
  std::frexp(rounded, &exponent);
  return std::fabs(static_cast<double>(got - want)) / std::ldexp(1.0, std::max(exponent - 53, -1074));
}

struct DoubleFunction {
  const char* name;
  void (*levels[3])(const double*, double*, int);
  long double (*exact)(long double);
  double bound;  // the one that vecmath_double.cpp or vecmath_more.h states
};
#define DOUBLE_LOOP(f)                                                                                                           \
  MT_TARGET_BASELINE void f##_double_0(const double* x, double* y, int n) {                                                      \
    for (int i = 0; i < n; ++i) y[i] = vec::f(x[i]);                                                                             \
  }                                                                                                                              \
  MT_TARGET_AVX2 void f##_double_1(const double* x, double* __restrict y, int n) {                                               \
    for (int i = 0; i < n; ++i) y[i] = vec::f(x[i]);                                                                             \
  }                                                                                                                              \
  MT_TARGET_AVX512 void f##_double_2(const double* x, double* __restrict y, int n) {                                             \
    for (int i = 0; i < n; ++i) y[i] = vec::f(x[i]);                                                                             \
  }
DOUBLE_LOOP(exp)
DOUBLE_LOOP(exp2) DOUBLE_LOOP(expm1) DOUBLE_LOOP(log) DOUBLE_LOOP(log1p) DOUBLE_LOOP(log2) DOUBLE_LOOP(log10) DOUBLE_LOOP(sin)
    DOUBLE_LOOP(cos) DOUBLE_LOOP(tan) DOUBLE_LOOP(sinh) DOUBLE_LOOP(cosh) DOUBLE_LOOP(tanh) DOUBLE_LOOP(erf) DOUBLE_LOOP(erfc)
        DOUBLE_LOOP(asin) DOUBLE_LOOP(acos) DOUBLE_LOOP(atan) DOUBLE_LOOP(asinh) DOUBLE_LOOP(acosh) DOUBLE_LOOP(atanh)
#define DOUBLE_ROW(f, bound)                                                                                                     \
  {                                                                                                                              \
#f, {f##_double_0, f##_double_1, f##_double_2 }, [](long double x) { return std::f(x); }, bound \
  }
            const DoubleFunction double_functions[] = {
                DOUBLE_ROW(exp, 2),    DOUBLE_ROW(exp2, 2),  DOUBLE_ROW(expm1, 2), DOUBLE_ROW(log, 0.7),  DOUBLE_ROW(log1p, 1),
                DOUBLE_ROW(log2, 0.7), DOUBLE_ROW(log10, 2), DOUBLE_ROW(sin, 2),  DOUBLE_ROW(cos, 2),   DOUBLE_ROW(tan, 3),
                DOUBLE_ROW(sinh, 3),   DOUBLE_ROW(cosh, 2),  DOUBLE_ROW(tanh, 3),  DOUBLE_ROW(erf, 2),    DOUBLE_ROW(erfc, 6),
                DOUBLE_ROW(asin, 3),   DOUBLE_ROW(acos, 2),  DOUBLE_ROW(atan, 2),  DOUBLE_ROW(asinh, 3),  DOUBLE_ROW(acosh, 3),
                DOUBLE_ROW(atanh, 3),
};

// Doubles of every size, those that functions bend at, and enough that a vector's lanes differ.
std::vector<double> doubles() {
  std::vector<double> x;
  for (uint64_t i = 0, word = 0; i < 20000; ++i, word += 0x9e3779b97f4a7c15u) {
    double value;
    std::memcpy(&value, &word, 8);
    x.push_back(value);
    const double unit = static_cast<double>(word >> 11) * 0x1p-53;
    x.insert(x.end(), {4 * unit - 2, 60 * unit - 30, 1600 * unit - 800, 1 + (unit - 0.5) / 8});
  }
  x.insert(x.end(), {0.0, -0.0, 1.0, -1.0, 0.5, double(INFINITY), -double(INFINITY), double(NAN), 5e-324, -5e-324, 709.78, 709.79, 710.47,
                     -708.5, -745.2, 1e6, 1e7, 1e300, 1e-300, 8.0, 100.0, 1000.0});
  return x;
}

TEST(VecMath, DoublesStayWithinTheStatedBoundAndLevelsAgree) {
  const int levels = static_cast<int>(cpu_capability()) + 1;
  const std::vector<double> x = doubles();
  const int n = static_cast<int>(x.size());
  std::vector<double> y[3] = {x, x, x};
  for (const DoubleFunction& f : double_functions) {
    for (int level = 0; level < levels; ++level) f.levels[level](x.data(), y[level].data(), n);
    double worst = 0, where = 0;
    for (int i = 0; i < n; ++i) {
      // Every loop calls the same functions, those of the level in use.
      for (int level = 1; level < levels; ++level) {
        ASSERT_TRUE(std::isnan(y[0][i]) || std::memcmp(&y[0][i], &y[level][i], 8) == 0) << f.name << "(" << x[i] << ")";
      }
      const double error = ulp_error(y[0][i], f.exact(x[i]));
      if (error > worst) worst = error, where = x[i];
    }
    EXPECT_LE(worst, f.bound) << f.name << " at " << where;
  }
}

TEST(VecMath, SpecialFunctionsOfDoublesStayWithinTheStatedBounds) {
  const long double per_root = 2 / std::sqrt(std::acos(-1.0L));
  double worst[4] = {};
  for (int i = 0; i < 20000; ++i) {
    const double u = (i + 0.5) / 20000, x = u < 0.5 ? 24 * u : std::exp(16 * u - 8);  // up to 12 evenly, then to 2980
    const long double lx = x;
    worst[0] = std::max(worst[0], ulp_error(vec::bessel_i0e(x), std::cyl_bessel_i(0.0L, lx) * std::exp(-lx)));
    worst[1] = std::max(worst[1], ulp_error(vec::bessel_i1e(x), std::cyl_bessel_i(1.0L, lx) * std::exp(-lx)));
    const double j0 = vec::bessel_j0(x), error = std::fabs(double(j0 - j0l(lx)));
    EXPECT_LE(error, 2e-15 / std::sqrt(1 + x)) << x;
    if (x <= 8) worst[2] = std::max(worst[2], ulp_error(j0, j0l(lx)));
    // erf(y) - p over its slope is how far y is from the inverse of p.
    const double p = u < 0.5 ? 2 * u : 1 - std::exp(-72 * (u - 0.5)), y = vec::inverse_erf<double>(p, (1 - p) * (1 + p));
    if (p == 1) continue;
    const long double beyond = p < 0.5 ? std::erf((long double)y) - p : (1 - (long double)p) - std::erfc((long double)y);
    worst[3] = std::max(worst[3], ulp_error(y, y - beyond / (per_root * std::exp(-(long double)y * y))));
  }
  EXPECT_LE(worst[0], 6);
  EXPECT_LE(worst[1], 9);
  EXPECT_LE(worst[2], 8);
  EXPECT_LE(worst[3], 4);
  EXPECT_EQ(vec::bessel_i1e(-3.0), -vec::bessel_i1e(3.0));
  EXPECT_EQ(vec::bessel_j0(-20.0), vec::bessel_j0(20.0));
  EXPECT_TRUE(std::isnan(vec::bessel_j0(INFINITY)) && std::isnan(vec::bessel_j0(NAN)) && std::isnan(vec::bessel_i0e(NAN)));
  EXPECT_EQ(vec::bessel_i0e(INFINITY), 0.0);
  EXPECT_EQ(vec::inverse_erf<double>(-1, 0), -INFINITY);
  EXPECT_TRUE(std::isnan(vec::inverse_erf<double>(2, -3)));
}

TEST(VecMath, PowersAnglesAndLengthsOfDoublesFollowCsSpecialCases) {
  const double values[] = {0.0,   -0.0,   1,        -1,         2,          -2,          3,           -3,        0.5,     -0.5,
                           1e-310, -1e-310, double(INFINITY), -double(INFINITY), double(NAN), 0x1p52, 0x1p52 + 1, -0x1p52 - 1, 0x1p53, 1.5,
                           -2.5,  33,     -33,      1023,       1024,       -1074,       1e308,       -1e308,    0.688};
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
  for (float x = -110; x <= 0; x += 0.0007f) ASSERT_EQ(std::bit_cast<uint32_t>(vec::exp_falling(x)), std::bit_cast<uint32_t>(vec::exp(x))) << x;
  for (float x : {-0.0f, -1e-40f, -1e30f, -INFINITY}) ASSERT_EQ(vec::exp_falling(x), vec::exp(x)) << x;
  EXPECT_TRUE(std::isnan(vec::exp_falling(float(NAN))));
}

TEST(VecMath, TheNormalDistributionFunctionIsCloseEverywhere) {
  for (float x = -7; x < 7; x += 0.001f) {
    const double want = 0.5 * std::erfc(-static_cast<double>(x) / std::sqrt(2.0));
    EXPECT_NEAR(vec::normal_cdf(x), want, 1.7e-7) << x;
    if (x >= 0) {
      EXPECT_NEAR(vec::normal_cdf(x) / want, 1, 3 * 0x1p-24) << x;
    }
    EXPECT_NEAR(x * vec::normal_cdf(x), x * want, 1e-6) << x;  // gelu; torch's is as far off between -4 and -3
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
