// Complex matrix products as one real product with the same number of operations: complex numbers are stored as pairs of reals. Either A
// is used in place, with twice the columns, times B with two lines for each of its own; or the real parts of A above its imaginary parts,
// times B in place, and the two halves of the result are combined.
#include "cpu/gemm/gemm_complex.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "cpu/buffer.h"
#include "cpu/clones.h"
#include "cpu/copy/copy.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu::detail {
namespace {

constexpr int64_t grain_elements = 16384;

// Writes two lines of a real matrix for a line of `n` complex numbers `step` apart: pairs (re, first * im), and pairs (second * im, other *
// re).
template <class R>
struct DoubleLine {
  MT_INLINE static void run(const R* from, int64_t n, int64_t step, R first, R second, R other, R* __restrict even, R* __restrict odd) {
    const auto loop = [&](auto apart) __attribute__((always_inline)) {
      for (int64_t j = 0; j < n; ++j) {
        const R re = from[2 * j * apart], im = from[2 * j * apart + 1];
        even[2 * j] = re, even[2 * j + 1] = first * im;
        odd[2 * j] = second * im, odd[2 * j + 1] = other * re;
      }
    };
    step == 1 ? loop(std::integral_constant<int64_t, 1>()) : loop(step);
  }
};
// Splits a line into its real and imaginary parts.
template <class R>
struct SplitLine {
  MT_INLINE static void run(const R* from, int64_t n, int64_t step, R* __restrict re, R* __restrict im) {
    if (step == 1)
      for (int64_t j = 0; j < n; ++j) re[j] = from[2 * j], im[j] = from[2 * j + 1];
    else
      for (int64_t j = 0; j < n; ++j) re[j] = from[2 * j * step], im[j] = from[2 * j * step + 1];
  }
};
// Combines a row of (real parts of A) * B and one of (imaginary parts of A) * B to a complex row, and adds `keep` times the old row.
template <class R>
struct JoinRows {
  MT_INLINE static void run(const R* u, const R* v, int64_t n, R own, R other, R keep, R* __restrict row) {
    const R product = -own * other;
    if (keep == 0)
      for (int64_t j = 0; j < n; ++j) {
        row[2 * j] = u[2 * j] + product * v[2 * j + 1];
        row[2 * j + 1] = own * u[2 * j + 1] + other * v[2 * j];
      }
    else
      for (int64_t j = 0; j < n; ++j) {
        row[2 * j] = u[2 * j] + product * v[2 * j + 1] + keep * row[2 * j];
        row[2 * j + 1] = own * u[2 * j + 1] + other * v[2 * j] + keep * row[2 * j + 1];
      }
  }
};

template <class T>
struct ComplexProduct {
  using R = typename T::value_type;
  static constexpr int64_t size = sizeof(T);
  int64_t m, n, k;
  T alpha;
  ConstMatrix<T> a, b;
  T beta;
  Matrix<T> c;
  Epilogue<T> epilogue;

  void run() {
    if (k <= 0 || alpha == T(0)) return write_scaled_sums(nullptr);
    // Computes the product directly or as C^T = B^T A^T, whichever copies less.
    ComplexProduct transposed = *this;
    transposed.transpose_problem();
    std::min(count_copied_elements(), transposed.count_copied_elements()) == count_copied_elements() ? run_directly()
                                                                                                     : transposed.run_directly();
  }

 private:
  static const R* view_reals(const T* p) { return reinterpret_cast<const R*>(p); }
  static R* view_reals(T* p) { return reinterpret_cast<R*>(p); }
  static bool follows_rows(const ConstMatrix<T>& x, int64_t cols) { return cols == 1 || x.col_stride == 1; }
  static R sign_of(bool is_negative) { return is_negative ? R(-1) : R(1); }

  bool can_store_directly() const { return alpha.imag() == 0 && beta.imag() == 0 && epilogue.empty() && c.col_stride == 1; }
  // The number of real elements that are copied in addition to the product; copies across lines are slower and count more.
  int64_t multiply_copied_lines() const { return 4 * k * n + (follows_rows(a, k) ? 0 : 4 * m * k); }
  int64_t multiply_copied_parts() const { return follows_rows(b, n) ? 2 * m * k + 8 * m * n : std::numeric_limits<int64_t>::max() / 2; }
  int64_t count_copied_elements() const {
    return std::min(multiply_copied_lines(), multiply_copied_parts()) + (can_store_directly() ? 0
                                                                         : c.col_stride == 1  ? 2 * m * n
                                                                                              : 6 * m * n);
  }

  void run_directly() {
    const bool by_lines = multiply_copied_lines() <= multiply_copied_parts();
    if (can_store_directly())
      return by_lines ? multiply_lines(c, alpha.real(), beta.real()) : multiply_real_and_imag_parts(c, alpha.real(), beta.real());
    Buffer<T> sums(m * n);
    const Matrix<T> to{sums.data(), n, 1};
    by_lines ? multiply_lines(to, 1, 0) : multiply_real_and_imag_parts(to, 1, 0);
    write_scaled_sums(to.data);
  }

  void transpose_problem() {
    std::swap(m, n);
    std::swap(a, b);
    std::swap(a.row_stride, a.col_stride);
    std::swap(b.row_stride, b.col_stride);
    std::swap(c.row_stride, c.col_stride);
    std::swap(epilogue.row_bias, epilogue.col_bias);
    std::swap(epilogue.row_bias_stride, epilogue.col_bias_stride);
  }
  // Copies A row by row.
  void copy_rows(T* to) {
    parallel_for(0, m, std::max<int64_t>(1, grain_elements / k), [&](int64_t begin, int64_t end) {
      if (a.row_stride == 1)
        return transpose_tile(reinterpret_cast<char*>(to + begin * k), k * size, reinterpret_cast<const char*>(a.data + begin),
                              a.col_stride * size, end - begin, k, size);
      for (int64_t i = begin; i < end; ++i)
        for (int64_t p = 0; p < k; ++p) to[i * k + p] = a.data[i * a.row_stride + p * a.col_stride];
    });
    a = {to, k, 1, a.conjugate};
  }

  // Computes (re, im) of A times a real matrix with two lines for each line of B: (re, im) and (-im, re), in the order in which B is
  // stored.
  void multiply_lines(Matrix<T> to, R scale, R keep) {
    std::optional<Buffer<T>> rows;
    if (!follows_rows(a, k)) copy_rows(rows.emplace(m * k).data());
    const R own = sign_of(b.conjugate), other = sign_of(a.conjugate);
    const bool across = b.col_stride != 1 && b.row_stride == 1;  // lines are columns: neighbours are exchanged
    const int64_t lines = across ? n : k, length = across ? k : n, line = across ? b.col_stride : b.row_stride;
    const int64_t next = across ? b.row_stride : b.col_stride;
    const R first = across ? -other * own : own, second = across ? own : -other * own;
    static const auto double_line = choose_clone<DoubleLine<R>>(DoubleLine<R>::run);
    Buffer<R> doubled(4 * k * n);
    R* const out = doubled.data();
    parallel_for(0, lines, std::max<int64_t>(1, grain_elements / length), [&](int64_t begin, int64_t end) {
      for (int64_t l = begin; l < end; ++l) {
        R* const even = out + 4 * l * length;
        double_line(view_reals(b.data + l * line), length, next, first, second, other, even, even + 2 * length);
      }
    });
    const ConstMatrix<R> right{out, across ? 1 : 2 * n, across ? 2 * k : 1};
    gemm<R>(m, 2 * n, 2 * k, scale, {view_reals(a.data), 2 * a.row_stride, 1}, right, keep, {view_reals(to.data), 2 * to.row_stride, 1});
  }

  // Multiplies the real parts of A and its imaginary parts, one matrix above the other and in the order in which A is stored, by B in
  // place.
  void multiply_real_and_imag_parts(Matrix<T> to, R scale, R keep) {
    const bool across = a.col_stride != 1 && a.row_stride == 1;
    const int64_t lines = across ? k : m, length = across ? m : k, line = across ? a.col_stride : a.row_stride;
    const int64_t next = across ? a.row_stride : a.col_stride, apart = across ? 2 * m : k, gap = across ? m : m * k;
    static const auto split = choose_clone<SplitLine<R>>(SplitLine<R>::run);
    Buffer<R> parts(2 * m * k), products(4 * m * n);
    R *const left = parts.data(), *const both = products.data();
    parallel_for(0, lines, std::max<int64_t>(1, grain_elements / length), [&](int64_t begin, int64_t end) {
      for (int64_t l = begin; l < end; ++l) {
        R* const re = left + l * apart;
        split(view_reals(a.data + l * line), length, next, re, re + gap);
      }
    });
    gemm<R>(2 * m, 2 * n, k, scale, {left, across ? 1 : k, across ? 2 * m : 1}, {view_reals(b.data), 2 * b.row_stride, 1}, R(0),
            {both, 2 * n, 1});
    const R own = sign_of(b.conjugate), other = sign_of(a.conjugate);
    static const auto join = choose_clone<JoinRows<R>>(JoinRows<R>::run);
    parallel_for(0, m, std::max<int64_t>(1, grain_elements / n), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        join(both + 2 * i * n, both + 2 * (m + i) * n, n, own, other, keep, view_reals(to.data + i * to.row_stride));
    });
  }

  void write_scaled_sums(const T* sums) {
    parallel_for(0, m, std::max<int64_t>(1, grain_elements / n), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        for (int64_t j = 0; j < n; ++j) {
          T& place = c.data[i * c.row_stride + j * c.col_stride];
          T value = sums ? sums[i * n + j] : T(0);
          if (alpha != T(1) && sums) value *= alpha;
          if (beta != T(0)) value += beta == T(1) ? place : beta * place;
          if (epilogue.row_bias != nullptr) value += epilogue.row_bias[i * epilogue.row_bias_stride];
          if (epilogue.col_bias != nullptr) value += epilogue.col_bias[j * epilogue.col_bias_stride];
          place = value;
        }
    });
  }
};

}  // namespace

template <class T>
void gemm_complex(int64_t m, int64_t n, int64_t k, T alpha, ConstMatrix<T> a, ConstMatrix<T> b, T beta, Matrix<T> c,
                  const Epilogue<T>& epilogue) {
  if (m <= 0 || n <= 0) return;
  if (is_small_complex(m, n, k) && epilogue.empty()) return gemm_complex_small(1, m, n, k, alpha, a, 0, b, 0, beta, c, 0);
  ComplexProduct<T>{m, n, k, alpha, a, b, beta, c, epilogue}.run();
}

template <class T>
void gemm_complex_small(int64_t batch, int64_t m, int64_t n, int64_t k, T alpha, ConstMatrix<T> a, int64_t a_step, ConstMatrix<T> b,
                        int64_t b_step, T beta, Matrix<T> c, int64_t c_step) {
  using R = typename T::value_type;
  const R own = b.conjugate ? R(-1) : R(1), other = a.conjugate ? R(-1) : R(1);
  const bool is_scaled = alpha != T(1) || beta != T(0);
  for (; batch > 0; --batch, a.data += a_step, b.data += b_step, c.data += c_step)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        const T *x = a.data + i * a.row_stride, *y = b.data + j * b.col_stride;
        R re = 0, im = 0;
        for (int64_t p = 0; p < k; ++p, x += a.col_stride, y += b.row_stride) {
          const R xi = other * x->imag(), yi = own * y->imag();
          re += x->real() * y->real() - xi * yi, im += x->real() * yi + xi * y->real();
        }
        T& place = c.data[i * c.row_stride + j * c.col_stride];
        T value(re, im);
        if (is_scaled) value = (alpha != T(0) ? alpha * value : T(0)) + (beta != T(0) ? beta * place : T(0));
        place = value;
      }
}

#define MT_INSTANTIATE(T)                                                                                                         \
  template void gemm_complex<T>(int64_t, int64_t, int64_t, T, ConstMatrix<T>, ConstMatrix<T>, T, Matrix<T>, const Epilogue<T>&);  \
  template void gemm_complex_small<T>(int64_t, int64_t, int64_t, int64_t, T, ConstMatrix<T>, int64_t, ConstMatrix<T>, int64_t, T, \
                                      Matrix<T>, int64_t);
MT_INSTANTIATE(std::complex<float>)
MT_INSTANTIATE(std::complex<double>)

}  // namespace mt::cpu::detail
