// Fourier transforms against their defining sum, over classes of lengths, layouts and directions.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

#include "cpu/fft/fft.h"

namespace mt::cpu {
namespace {

template <class T>
std::vector<std::complex<T>> numbers(int64_t n) {
  std::vector<std::complex<T>> out;
  for (int64_t i = 0; i < n; ++i)
    out.emplace_back(T(std::sin(1.3 * double(i % 1009) * double(i % 911) + 0.2)), T(std::cos(0.7 * double(i))));
  return out;
}
// Element k of the forward transform.
template <class T>
std::complex<long double> exact(const std::complex<T>* x, int64_t step, int64_t n, int64_t k) {
  std::complex<long double> sum = 0;
  for (int64_t j = 0; j < n; ++j) {
    const long double angle = -2 * 3.14159265358979323846264338327950288L * ((static_cast<__int128>(j) * k) % n) / n;
    sum += std::complex<long double>(x[j * step]) * std::complex<long double>(std::cos(angle), std::sin(angle));
  }
  return sum;
}
template <class T>
T* parts(std::vector<std::complex<T>>& x) {
  return reinterpret_cast<T*>(x.data());
}

// The worst error of sampled elements, as a multiple of epsilon times the root of n.
template <class T>
double measure_worst_error(int64_t n, int64_t rows, bool columns) {
  std::vector<std::complex<T>> x = numbers<T>(n * rows), y(x.size());
  const int64_t row = columns ? 1 : n, step = columns ? rows : 1;
  const int64_t strides[] = {2 * row};
  fft_complex<T>({{&rows, 1}, parts(x), {strides, 1}, 2 * step, parts(y), {strides, 1}, 2 * step}, n, true, T(1));
  double worst = 0;
  for (int64_t r : {int64_t(0), rows - 1})
    for (int64_t k = 0; k < n; k += (n > 10000 ? n / 2 : n / 5) + 1)
      worst = std::max(worst,
                       double(std::abs(std::complex<long double>(y[size_t(r * row + k * step)]) - exact(x.data() + r * row, step, n, k))));
  return worst / (std::numeric_limits<T>::epsilon() * std::sqrt(double(n)));
}

TEST(Fft, EveryKindOfLengthIsAccurate) {
  // Powers of primes, mixed radices, primes, prime squares, and lengths that are split in two.
  for (int64_t n : {1, 2, 3, 5, 8, 13, 17, 31, 48, 100, 127, 169, 289, 512, 1000, 1009, 4096, 32768, 40000, 65537})
    for (int64_t rows : {1, 3, 19}) {
      if (n > 4096 && rows > 3) continue;
      for (bool columns : {false, true}) {
        EXPECT_LT(measure_worst_error<float>(n, rows, columns), 20) << n << " float, rows " << rows;
        EXPECT_LT(measure_worst_error<double>(n, rows, columns), 20) << n << " double, rows " << rows;
      }
    }
}

TEST(Fft, BackwardUndoesForward) {
  for (int64_t n : {6, 97, 1024, 50000}) {
    std::vector<std::complex<float>> x = numbers<float>(n), y = x;
    fft_complex<float>({{}, parts(y), {}, 2, parts(y), {}, 2}, n, true, 1.0f);
    fft_complex<float>({{}, parts(y), {}, 2, parts(y), {}, 2}, n, false, 1.0f / float(n));
    for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(std::abs(x[i] - y[i]), 0, 2e-6) << n;
  }
}

TEST(Fft, RealTransformsAreHalfOfComplexOnesAndInvert) {
  for (int64_t n : {1, 2, 3, 9, 16, 34, 255, 1000, 70000, 80001}) {
    std::vector<std::complex<double>> x = numbers<double>(n), half(size_t(n / 2 + 1));
    std::vector<double> reals, back(x.size());
    for (auto& v : x) reals.push_back(v.real()), v = v.real();
    fft_real<double>({{}, reals.data(), {}, 1, parts(half), {}, 2}, n, 1.0);
    for (int64_t k = 0; k <= n / 2; k += n / 7 + 1)
      ASSERT_NEAR(double(std::abs(std::complex<long double>(half[size_t(k)]) - exact(x.data(), 1, n, k))), 0, 1e-12 * double(n)) << n;
    fft_hermitian<double>({{}, parts(half), {}, 2, back.data(), {}, 1}, n, 1.0 / double(n));
    for (size_t i = 0; i < back.size(); ++i) ASSERT_NEAR(back[i], reals[i], 1e-13) << n;
  }
}

TEST(Fft, TheCacheOfPlansIsBounded) {
  std::vector<std::complex<float>> x = numbers<float>(1000), y = x;
  for (int64_t n = 300; n < 700; ++n) fft_complex<float>({{}, parts(x), {}, 2, parts(y), {}, 2}, n, true, 1.0f);
  const FftCacheStatistics statistics = fft_cache_statistics();
  EXPECT_GT(statistics.plans, 0);
  EXPECT_LE(statistics.plans, 256);
  EXPECT_LE(statistics.bytes, statistics.limit_bytes);
}

}  // namespace
}  // namespace mt::cpu
