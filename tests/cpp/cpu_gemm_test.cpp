// Matrix products of every dtype, layout and size class against a plain triple loop on small integers, which is exact.
#include <gtest/gtest.h>
#include <array>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "cpu/gemm/dot.h"
#include "cpu/gemm/gemm.h"
#include "cpu/linalg/blas.h"
#include "cpu/linalg/lapack.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu {
namespace {

template <class T>
struct Operand {
  std::vector<T> storage;
  int64_t row_stride = 0, col_stride = 0;
  T& at(int64_t i, int64_t j) { return storage[static_cast<size_t>(i * row_stride + j * col_stride)]; }
};

template <class T>
T make_small_integer(std::mt19937& random) {
  const int value = static_cast<int>(random() % 7) - 3;
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    return T(static_cast<typename T::value_type>(value), static_cast<typename T::value_type>(static_cast<int>(random() % 5) - 2));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(value * 37);
  } else {
    return T(static_cast<float>(value));
  }
}

// Layouts: 0 rows contiguous, 1 columns contiguous, 2 neither.
template <class T>
Operand<T> make(int64_t rows, int64_t cols, int layout, std::mt19937& random) {
  Operand<T> m;
  m.row_stride = layout == 0 ? cols + 1 : layout == 1 ? 1 : 2 * cols;
  m.col_stride = layout == 0 ? 1 : layout == 1 ? rows + 2 : 2;
  m.storage.resize(static_cast<size_t>((rows + 2) * (cols + 2) * 2 + 8));
  for (T& value : m.storage) value = make_small_integer<T>(random);
  return m;
}

template <class T>
constexpr bool is_complex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

// Integers are summed modulo 2^bits; other types use integers small enough to be exact.
template <class T>
using Exact = std::conditional_t<is_complex<T>, std::complex<double>, std::conditional_t<std::is_integral_v<T>, uint64_t, double>>;
template <class T>
Exact<T> exact(T value) {
  if constexpr (std::is_integral_v<T> || is_complex<T>)
    return static_cast<Exact<T>>(value);
  else
    return static_cast<double>(static_cast<float>(value));
}
template <class T>
T rounded(Exact<T> value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
    return T(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

template <class T>
class Gemm : public ::testing::Test {};
using GemmTypes =
    ::testing::Types<float, double, std::complex<float>, std::complex<double>, Half, BFloat16, int8_t, uint8_t, int16_t, int32_t, int64_t>;
TYPED_TEST_SUITE(Gemm, GemmTypes);

TYPED_TEST(Gemm, AgreesWithThreeLoopsInEveryLayout) {
  using T = TypeParam;
  std::mt19937 random(1);
  const int64_t sizes[][3] = {{1, 1, 1},     {1, 70, 300},   {4, 33, 20},   {9, 100, 40},    {24, 17, 260}, {65, 3, 31},   {13, 97, 5},
                              {50, 70, 0},   {100, 48, 64},  {70, 1, 33},   {120, 130, 530}, {7, 64, 36},   {16, 96, 300}, {2, 2100, 33},
                              {31, 6, 290},  {33, 40, 4700}, {47, 40, 34},  {3, 5, 700},     {12, 15, 257}, {2, 2, 1500},  {1, 600, 3},
                              {4, 700, 15},  {2050, 3, 2},   {16, 16, 300}, {20, 800, 30},   {64, 64, 70},  {40, 12, 70},  {300, 40, 9},
                              {11, 32, 600}, {7, 16, 1030},  {18, 40, 700}};
  for (const auto& [m, n, k] : sizes) {
    for (int layout = 0; layout < 27; ++layout) {
      if (m * n * k > 1000000 && layout % 5 != 0) continue;
      Operand<T> a = make<T>(m, k, layout % 3, random);
      Operand<T> b = make<T>(k, n, layout / 3 % 3, random);
      Operand<T> c = make<T>(m, n, layout / 9, random);
      Operand<T> bias = make<T>(1, n, 0, random);
      const int beta = layout % 2, alpha = layout % 3 == 2 ? 2 : 1;
      Operand<T> before = c;
      Epilogue<T> epilogue;
      if (layout % 4 == 0) epilogue.col_bias = bias.storage.data();
      gemm<T>(m, n, k, GemmScalar<T>(static_cast<float>(alpha)), {a.storage.data(), a.row_stride, a.col_stride},
              {b.storage.data(), b.row_stride, b.col_stride}, GemmScalar<T>(static_cast<float>(beta)),
              {c.storage.data(), c.row_stride, c.col_stride}, epilogue);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          Exact<T> sum = 0;
          for (int64_t p = 0; p < k; ++p) sum += exact<T>(a.at(i, p)) * exact<T>(b.at(p, j));
          sum = sum * Exact<T>(alpha);
          if (beta != 0) sum += exact<T>(before.at(i, j));
          if (epilogue.col_bias != nullptr) sum += exact<T>(bias.storage[static_cast<size_t>(j)]);
          ASSERT_EQ(c.at(i, j), rounded<T>(sum)) << m << "x" << n << "x" << k << " layout " << layout << " at " << i << "," << j;
        }
      }
    }
  }
}

// The rows of all three operands are contiguous; columns fill vectors or leave a remainder; beta is 0, which must not read C, or 1.
TYPED_TEST(Gemm, AgreesWithThreeLoopsOnRows) {
  using T = TypeParam;
  std::mt19937 random(7);
  const int64_t sizes[][3] = {{4, 16, 1},   {5, 32, 7},    {11, 32, 600},   {7, 16, 1030},  {12, 48, 33},   {13, 24, 9},
                              {64, 64, 64}, {100, 8, 130}, {200, 112, 520}, {26, 256, 300}, {3, 64, 20},    {40, 1024, 17},
                              {33, 33, 33}, {5, 50, 50},   {12, 9, 600},    {100, 15, 130}, {4, 101, 1030}, {6, 7, 40}};
  for (const auto& [m, n, k] : sizes) {
    for (const int beta : {0, 1}) {
      Operand<T> a = make<T>(m, k, 0, random), b = make<T>(k, n, 0, random), c = make<T>(m, n, 0, random);
      if (beta == 0 && (std::is_same_v<T, float> || std::is_same_v<T, double>))
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) c.at(i, j) = std::numeric_limits<T>::quiet_NaN();
      const Operand<T> before = c;
      gemm<T>(m, n, k, GemmScalar<T>(1), {a.storage.data(), a.row_stride, 1}, {b.storage.data(), b.row_stride, 1},
              GemmScalar<T>(static_cast<float>(beta)), {c.storage.data(), c.row_stride, 1});
      for (int64_t i = 0; i < m; ++i) {
        const size_t gap = static_cast<size_t>(i * c.row_stride + n);  // between the rows
        ASSERT_EQ(c.storage[gap], before.storage[gap]) << m << "x" << n << "x" << k << " after row " << i;
        for (int64_t j = 0; j < n; ++j) {
          Exact<T> sum = 0;
          for (int64_t p = 0; p < k; ++p) sum += exact<T>(a.at(i, p)) * exact<T>(b.at(p, j));
          if (beta != 0) sum += exact<T>(before.storage[static_cast<size_t>(i * c.row_stride + j)]);
          ASSERT_EQ(c.at(i, j), rounded<T>(sum)) << m << "x" << n << "x" << k << " at " << i << "," << j;
        }
      }
    }
  }
}

// Products with a bias, over one block of k and several, with full vectors of a panel's columns and remainders, and with contiguous and
// strided rows of A. C initially contains NaN, which must not be read; the gaps between its rows must not be written.
TYPED_TEST(Gemm, FinishedSumsAreWrittenWithTheirBias) {
  using T = TypeParam;
  std::mt19937 random(11);
  const int64_t sizes[][3] = {{13, 136, 60}, {30, 56, 1300}, {29, 80, 1300}, {25, 72, 2500}, {200, 110, 700}, {31, 48, 700}};
  for (const auto& [m, n, k] : sizes) {
    for (const int layout : {0, 1, 2, 3}) {
      const bool with_bias = layout / 2 == 1;
      const Operand<T> a = make<T>(m, k, layout % 2, random), b = make<T>(k, n, 1, random), bias = make<T>(1, n, 0, random);
      Operand<T> c = make<T>(m, n, 0, random);
      if constexpr (!is_complex<T> && !std::is_integral_v<T>)
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) c.at(i, j) = T(std::numeric_limits<float>::quiet_NaN());
      const Operand<T> before = c;
      Epilogue<T> epilogue;
      if (with_bias) epilogue.col_bias = bias.storage.data();
      gemm<T>(m, n, k, GemmScalar<T>(1), {a.storage.data(), a.row_stride, a.col_stride}, {b.storage.data(), b.row_stride, b.col_stride},
              GemmScalar<T>(0), {c.storage.data(), c.row_stride, 1}, epilogue);
      for (int64_t i = 0; i < m; ++i) {
        const size_t gap = static_cast<size_t>(i * c.row_stride + n);
        ASSERT_EQ(c.storage[gap], before.storage[gap]) << m << "x" << n << "x" << k << " after row " << i;
        for (int64_t j = 0; j < n; ++j) {
          Exact<T> sum = 0;
          for (int64_t p = 0; p < k; ++p)
            sum += exact<T>(a.storage[static_cast<size_t>(i * a.row_stride + p * a.col_stride)]) *
                   exact<T>(b.storage[static_cast<size_t>(p * b.row_stride + j * b.col_stride)]);
          if (with_bias) sum += exact<T>(bias.storage[static_cast<size_t>(j)]);
          ASSERT_EQ(c.at(i, j), rounded<T>(sum)) << m << "x" << n << "x" << k << " layout " << layout << " at " << i << "," << j;
        }
      }
    }
  }
}

TEST(GemmComplex, ConjugatesAndScalesByComplexNumbersInEveryLayout) {
  using T = std::complex<double>;
  std::mt19937 random(6);
  for (const auto& [m, n, k] : {std::array<int64_t, 3>{2, 3, 4}, {1, 40, 30}, {35, 1, 20}, {20, 30, 1}, {18, 25, 33}, {7, 5, 0}})
    for (int layout = 0; layout < 27; ++layout)
      for (int way = 0; way < 16; ++way) {
        const Operand<T> a = make<T>(m, k, layout % 3, random), b = make<T>(k, n, layout / 3 % 3, random);
        Operand<T> c = make<T>(m, n, layout / 9, random);
        const Operand<T> before = c;
        const T alpha = way & 4 ? T(2, -1) : T(1), beta = way & 8 ? T(way & 4 ? -1 : 2, way & 4 ? 3 : 0) : T(0);
        gemm<T>(m, n, k, alpha, {a.storage.data(), a.row_stride, a.col_stride, (way & 1) != 0},
                {b.storage.data(), b.row_stride, b.col_stride, (way & 2) != 0}, beta, {c.storage.data(), c.row_stride, c.col_stride});
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) {
            T sum = 0;
            for (int64_t p = 0; p < k; ++p) {
              const T x = a.storage[size_t(i * a.row_stride + p * a.col_stride)];
              const T y = b.storage[size_t(p * b.row_stride + j * b.col_stride)];
              sum += (way & 1 ? std::conj(x) : x) * (way & 2 ? std::conj(y) : y);
            }
            const T old = before.storage[size_t(i * c.row_stride + j * c.col_stride)];
            ASSERT_EQ(c.at(i, j), alpha * sum + beta * old) << m << "x" << n << "x" << k << " layout " << layout << " way " << way;
          }
      }
}

TYPED_TEST(Gemm, ABatchIsTheProductOfEachPair) {
  using T = TypeParam;
  std::mt19937 random(2);
  const int64_t batch = 7, sizes[][3] = {{19, 21, 23}, {1, 1, 64},   {1, 1, 300}, {2, 2, 64}, {10, 1, 20},  {1, 10, 20},  {3, 3, 3},
                                         {5, 5, 40},   {33, 33, 33}, {1, 64, 64}, {18, 1, 1}, {20, 12, 70}, {2, 70, 600}, {9, 40, 0}};
  for (const auto& [m, n, k] : sizes) {
    Operand<T> a = make<T>(batch * m, k, 0, random);
    Operand<T> b = make<T>(batch * k, n, 0, random);
    Operand<T> together = make<T>(batch * m, n, 0, random);
    Operand<T> single = make<T>(m, n, 0, random);
    gemm_batched<T>(batch, m, n, k, GemmScalar<T>(1), {a.storage.data(), a.row_stride, 1}, m * a.row_stride,
                    {b.storage.data(), b.row_stride, 1}, k * b.row_stride, GemmScalar<T>(0),
                    {together.storage.data(), together.row_stride, 1}, m * together.row_stride);
    for (int64_t index = 0; index < batch; ++index) {
      gemm<T>(m, n, k, GemmScalar<T>(1), {a.storage.data() + index * m * a.row_stride, a.row_stride, 1},
              {b.storage.data() + index * k * b.row_stride, b.row_stride, 1}, GemmScalar<T>(0),
              {single.storage.data(), single.row_stride, 1});
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) ASSERT_EQ(together.at(index * m + i, j), single.at(i, j)) << m << "x" << n << "x" << k;
      }
    }
  }
}

// Small matrices at any offset: full-vector stores beyond a result must not be visible.
TYPED_TEST(Gemm, SmallMatrixProductsAreIndependent) {
  using T = TypeParam;
  std::mt19937 random(3);
  for (int trial = 0; trial < 300; ++trial) {
    const auto draw = [&](int64_t from, int64_t to) {
      return from + static_cast<int64_t>(random() % static_cast<unsigned>(to - from + 1));
    };
    const int64_t batch = draw(1, 9), m = draw(1, 17), n = draw(1, 9), k = draw(1, 17);
    const int64_t gap = trial % 3 == 0 ? draw(1, 3) : 0, between = trial % 4 == 0 ? draw(1, 5) : 0;
    const bool turns_b = trial % 5 == 0, turns_c = trial % 7 == 0;
    const int64_t beta = trial % 2, row = n + gap, c_step = m * row + between;
    Operand<T> a = make<T>(batch * m, k, 0, random);
    Operand<T> b = make<T>(batch * k, n, 0, random);
    std::vector<T> c(static_cast<size_t>(batch * c_step + 9), T(1)), before = c;
    const int64_t c_row = turns_c ? 1 : row, c_col = turns_c ? m : 1;
    gemm_batched<T>(batch, m, n, k, GemmScalar<T>(1), {a.storage.data(), a.row_stride, 1}, m * a.row_stride,
                    {b.storage.data(), turns_b ? 1 : b.row_stride, turns_b ? k : 1}, k * b.row_stride,
                    GemmScalar<T>(static_cast<float>(beta)), {c.data(), c_row, c_col}, c_step);
    for (int64_t index = 0; index < batch; ++index)
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          Exact<T> sum = 0;
          for (int64_t p = 0; p < k; ++p) {
            const T* const matrix = b.storage.data() + index * k * b.row_stride;
            sum += exact<T>(a.at(index * m + i, p)) * exact<T>(turns_b ? matrix[p + j * k] : matrix[p * b.row_stride + j]);
          }
          const size_t at = static_cast<size_t>(index * c_step + i * c_row + j * c_col);
          if (beta != 0) sum += exact<T>(before[at]);
          ASSERT_EQ(c[at], rounded<T>(sum)) << batch << " of " << m << "x" << n << "x" << k << " at " << i << "," << j;
          c[at] = before[at];
        }
    ASSERT_TRUE(c == before) << "between the matrices: " << batch << " of " << m << "x" << n << "x" << k;
  }
}

#if defined(__linux__)
TYPED_TEST(Gemm, ReadsNothingBeyondItsOperands) {
  using T = TypeParam;
  const size_t reach = size_t{1} << 20, page = 4096;
  const int access = PROT_READ | PROT_WRITE;
  auto* memory = static_cast<char*>(mmap(nullptr, reach + page, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_EQ(mprotect(memory + reach, page, PROT_NONE), 0);
  // Matrices that end at inaccessible memory.
  auto ones = [&](int64_t n) {
    T* first = reinterpret_cast<T*>(memory + reach) - n;
    std::fill_n(first, n, T(1));
    return first;
  };
  for (const int64_t m : {35, 45}) {
    for (const int64_t k : {1, 2, 31, 33, 67}) {
      for (const int64_t step : {1, 2, 3}) {
        for (const bool by_rows : {false, true}) {
          const int64_t n = 37, rows = (by_rows ? k : 1) * step, cols = (by_rows ? 1 : m) * step;
          std::vector<T> other(static_cast<size_t>(k * n), T(1)), c(static_cast<size_t>(m * n));
          const T* a = ones((m - 1) * rows + (k - 1) * cols + 1);
          gemm<T>(m, n, k, GemmScalar<T>(1), {a, rows, cols}, {other.data(), n, 1}, GemmScalar<T>(0), {c.data(), n, 1});
          for (T value : c) ASSERT_EQ(exact(value), exact(rounded<T>(Exact<T>(k))));
          gemm<T>(n, m, k, GemmScalar<T>(1), {other.data(), 1, n}, {a, cols, rows}, GemmScalar<T>(0), {c.data(), m, 1});
          for (T value : c) ASSERT_EQ(exact(value), exact(rounded<T>(Exact<T>(k))));
          gemm<T>(n, m, k, GemmScalar<T>(1), {other.data(), k, 1}, {a, cols, rows}, GemmScalar<T>(0), {c.data(), m, 1});
          for (T value : c) ASSERT_EQ(exact(value), exact(rounded<T>(Exact<T>(k))));
        }
      }
    }
  }
  munmap(memory, reach + page);
}
#endif

TEST(GemmFloat, BetaZeroDoesNotReadTheResult) {
  for (int64_t m : {1, 3, 40}) {
    std::vector<float> a(static_cast<size_t>(m * 10), 1), b(10 * 40, 1), c(static_cast<size_t>(m * 40), NAN);
    gemm<float>(m, 40, 10, 1, {a.data(), 10, 1}, {b.data(), 40, 1}, 0, {c.data(), 40, 1});
    for (float value : c) ASSERT_EQ(value, 10.0f);
    std::fill(c.begin(), c.end(), NAN);
    gemm<float>(m, 40, 0, 1, {a.data(), 10, 1}, {b.data(), 40, 1}, 0, {c.data(), 40, 1});
    for (float value : c) ASSERT_EQ(value, 0.0f);
  }
}

template <class T>
class GemmBits : public ::testing::Test {};
using GemmBitsTypes = ::testing::Types<float, BFloat16>;
TYPED_TEST_SUITE(GemmBits, GemmBitsTypes);

TYPED_TEST(GemmBits, TheNumberOfThreadsDoesNotChangeThem) {
  using T = TypeParam;
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  const int before = get_num_threads();
  for (const auto& [m, n, k] : {std::array<int64_t, 3>{300, 500, 700},
                                {64, 64, 1152},
                                {50, 900, 1300},
                                {50, 96, 1300},
                                {1, 3000, 700},
                                {20, 900, 800},
                                {9, 12, 30000},
                                {3, 90000, 7}}) {
    std::vector<T> a(static_cast<size_t>(m * k)), b(static_cast<size_t>(k * n));
    for (T& value : a) value = T(normal(random));
    for (T& value : b) value = T(normal(random));
    std::vector<T> first;
    for (int threads : {1, 2, 3, 5}) {
      set_num_threads(threads);
      std::vector<T> c(static_cast<size_t>(m * n));
      gemm<T>(m, n, k, 1, {a.data(), k, 1}, {b.data(), 1, k}, 0, {c.data(), n, 1});
      gemm<T>(m, n, k, 1, {a.data(), k, 1}, {b.data(), n, 1}, 1, {c.data(), n, 1});
      if (first.empty()) first = c;
      ASSERT_EQ(std::memcmp(first.data(), c.data(), c.size() * sizeof(T)), 0) << threads;
    }
  }
  set_num_threads(before);
}

TEST(GemmFloat, TheEpilogueActivatesAfterTheBias) {
  const float one = 1, two = 2, minus = -3;
  auto with = [&](Activation activation, float bias) {
    Epilogue<float> epilogue;
    epilogue.row_bias = &bias;
    epilogue.activation = activation;
    float c = 0;
    gemm<float>(1, 1, 1, 1, {&one, 1, 1}, {&two, 1, 1}, 0, {&c, 1, 1}, epilogue);
    return c;
  };
  EXPECT_EQ(with(Activation::none, minus), -1.0f);
  EXPECT_EQ(with(Activation::relu, minus), 0.0f);
  EXPECT_TRUE(std::isnan(with(Activation::relu, NAN)));
  EXPECT_FLOAT_EQ(with(Activation::gelu, minus), -0.15865525f);       // torch.nn.functional.gelu(torch.tensor(-1.))
  EXPECT_FLOAT_EQ(with(Activation::gelu_tanh, minus), -0.15880801f);  // ..., approximate='tanh')
}

TEST(Dot, SumsInChunksOfFixedSize) {
  std::vector<double> x(100003, 0.5), y(200006, 4.0);
  EXPECT_EQ(dot(Dtype::float64, 100003, x.data(), 8, y.data(), 16).real, 200006.0);
  EXPECT_EQ(dot(Dtype::float64, 0, x.data(), 8, y.data(), 8).real, 0.0);
}
TEST(Dot, SumsRealAndImaginaryPartsSeparately) {
  for (int64_t n : {1, 7, 64, 333, 5001, 20000}) {
    std::vector<std::complex<float>> x(size_t(n), {1, 2}), y(size_t(2 * n), {99, 99});
    for (size_t i = 0; i < y.size(); i += 2) y[i] = {3, 5};
    const ProductSums s = dot(Dtype::complex64, n, x.data(), 8, y.data(), 16);
    EXPECT_EQ(s.real, 3.0 * n);
    EXPECT_EQ(s.imaginary, 10.0 * n);
    EXPECT_EQ(s.real_imaginary, 5.0 * n);
    EXPECT_EQ(s.imaginary_real, 6.0 * n);
  }
}

TEST(Lapack, FactorsThroughTheLoadedLibrary) {
  if (!has_blas()) {
    EXPECT_THROW(lapack::potrf<double>(), std::runtime_error);
    GTEST_SKIP() << "no BLAS library here";
  }
  // [[4, 2], [2, 3]] = L L^T with L = [[2, 0], [1, sqrt 2]].
  double a[4] = {4, 2, 2, 3};
  const lapack::Int two = 2;
  lapack::Int info = -1;
  lapack::potrf<double>()("L", &two, a, &two, &info, 1);
  EXPECT_EQ(info, 0);
  EXPECT_DOUBLE_EQ(a[0], 2);
  EXPECT_DOUBLE_EQ(a[1], 1);
  EXPECT_DOUBLE_EQ(a[3], std::sqrt(2.0));
  // The functions that select a LAPACK routine by element type find it in the LAPACK library.
  EXPECT_NE(lapack::gesdd<float>(), nullptr);
  EXPECT_NE((void*)lapack::heevd<std::complex<double>>(), nullptr);
  EXPECT_NE((void*)lapack::orgqr<std::complex<float>>(), nullptr);
  EXPECT_NE((void*)lapack::ormqr<double>(), nullptr);
  EXPECT_NE((void*)lapack::gelsd_complex<std::complex<float>>(), nullptr);
  EXPECT_NE((void*)lapack::hetrs<float>(), nullptr);
}

}  // namespace
}  // namespace mt::cpu
