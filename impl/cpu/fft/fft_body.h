// The passes of Fourier transforms, compiled once per instruction set: fft_<level>.cpp defines MT_ISA_NAME, MT_ISA_TARGET and
// MT_ISA_TURNS (whether 32-byte vectors are transposed in registers) and includes this file. Plain loops that the compiler vectorises.

#include <type_traits>
#include <utility>

#include "cpu/fft/fft_kernels.h"

namespace mt::cpu::detail {
namespace MT_ISA_NAME {

#define MT_INLINE [[gnu::always_inline]] inline
#define MT_KERNEL MT_ISA_TARGET [[gnu::flatten]] static

// Calls f(0), ..., f(N - 1) with constant arguments, so that small arrays become registers.
template <int N, class F>
MT_INLINE void unroll(F&& f) {
  [&]<int... I>(std::integer_sequence<int, I...>)
      __attribute__((always_inline)) { (f(std::integral_constant<int, I>()), ...); }(std::make_integer_sequence<int, N>());
}

// Taylor series for angles up to pi, accurate to 1e-18.
constexpr long double taylor_series(long double x, int start) {
  long double term = start == 0 ? 1 : x, sum = term;
  for (int i = start; i < 40; i += 2) {
    term *= -x * x / ((i + 1) * (i + 2));
    sum += term;
  }
  return sum;
}
template <int R>
struct Circle {
  double cosine[R], sine[R];
  constexpr Circle() : cosine(), sine() {
    for (int k = 0; k < R; ++k) {
      const long double angle = 2 * 3.14159265358979323846264338327950288L * (2 * k > R ? k - R : k) / R;
      cosine[k] = double(taylor_series(angle, 0));
      sine[k] = double(taylor_series(angle, 1));
    }
  }
};
template <int R>
inline constexpr Circle<R> roots_of_circle{};

// Computes the transform of R numbers in place. Odd R uses sums and differences of mirrored elements.
template <int R, class T>
MT_INLINE void transform(T (&re)[R], T (&im)[R]) {
  if constexpr (R == 2) {
    const T r = re[1], i = im[1];
    re[1] = re[0] - r, im[1] = im[0] - i;
    re[0] += r, im[0] += i;
  } else if constexpr (R == 4) {
    const T ar = re[0] + re[2], ai = im[0] + im[2], br = re[0] - re[2], bi = im[0] - im[2];
    const T cr = re[1] + re[3], ci = im[1] + im[3], dr = re[1] - re[3], di = im[1] - im[3];
    re[0] = ar + cr, im[0] = ai + ci, re[2] = ar - cr, im[2] = ai - ci;
    re[1] = br + di, im[1] = bi - dr, re[3] = br - di, im[3] = bi + dr;
  } else if constexpr (R == 8) {
    T er[4] = {re[0], re[2], re[4], re[6]}, ei[4] = {im[0], im[2], im[4], im[6]};
    T or_[4] = {re[1], re[3], re[5], re[7]}, oi[4] = {im[1], im[3], im[5], im[7]};
    transform<4, T>(er, ei);
    transform<4, T>(or_, oi);
    constexpr T root = T(0.70710678118654752440);
    const T r1 = root * (or_[1] + oi[1]), i1 = root * (oi[1] - or_[1]);
    const T r3 = root * (oi[3] - or_[3]), i3 = root * (-or_[3] - oi[3]);
    const T wr[4] = {or_[0], r1, oi[2], r3}, wi[4] = {oi[0], i1, -or_[2], i3};
    unroll<4>([&](auto k) __attribute__((always_inline)) {
      re[k] = er[k] + wr[k], im[k] = ei[k] + wi[k];
      re[k + 4] = er[k] - wr[k], im[k + 4] = ei[k] - wi[k];
    });
  } else {
    constexpr int H = (R - 1) / 2;
    T sr[H], si[H], dr[H], di[H];
    const T r0 = re[0], i0 = im[0];
    T total_r = r0, total_i = i0;
    unroll<H>([&](auto j) __attribute__((always_inline)) {
      sr[j] = re[j + 1] + re[R - 1 - j], si[j] = im[j + 1] + im[R - 1 - j];
      dr[j] = re[j + 1] - re[R - 1 - j], di[j] = im[j + 1] - im[R - 1 - j];
      total_r += sr[j], total_i += si[j];
    });
    re[0] = total_r, im[0] = total_i;
    unroll<H>([&](auto k) __attribute__((always_inline)) {
      T cr = r0, ci = i0, er = 0, ei = 0;
      unroll<H>([&](auto j) __attribute__((always_inline)) {
        constexpr int step = (j + 1) * (k + 1) % R;
        constexpr T c = T(roots_of_circle<R>.cosine[step]), s = T(roots_of_circle<R>.sine[step]);
        cr += c * sr[j], ci += c * si[j];
        er += s * dr[j], ei += s * di[j];
      });
      re[k + 1] = cr + ei, im[k + 1] = ci - er;
      re[R - 1 - k] = cr - ei, im[R - 1 - k] = ci + er;
    });
  }
}

// `ivdep`: x, y and w do not overlap, but gcc drops `restrict` when a function is inlined.
template <int R, class T, bool Twiddle>
MT_INLINE void pass_run(const T* __restrict xr, const T* __restrict xi, T* __restrict yr, T* __restrict yi, int64_t stride, int64_t len,
                        const T* __restrict w) {
  T wr[R], wi[R];
  if constexpr (Twiddle) unroll<R - 1>([&](auto k) __attribute__((always_inline)) { wr[k + 1] = w[2 * k], wi[k + 1] = w[2 * k + 1]; });
#pragma GCC ivdep
  for (int64_t q = 0; q < len; ++q) {
    T re[R], im[R];
    unroll<R>([&](auto j) __attribute__((always_inline)) { re[j] = xr[q + stride * j], im[j] = xi[q + stride * j]; });
    transform<R, T>(re, im);
    yr[q] = re[0], yi[q] = im[0];
    unroll<R - 1>([&](auto j) __attribute__((always_inline)) {
      constexpr int k = j + 1;
      if constexpr (Twiddle) {
        yr[q + len * k] = re[k] * wr[k] - im[k] * wi[k];
        yi[q + len * k] = re[k] * wi[k] + im[k] * wr[k];
      } else {
        yr[q + len * k] = re[k], yi[q + len * k] = im[k];
      }
    });
  }
}

template <int R, class T>
MT_KERNEL void pass(Split<T> x, Split<T> y, int64_t m, int64_t len, const T* w) {
  // For a long body the first factors, which are ones, are multiplied too, so that one loop is enough.
  constexpr int64_t plain = R < 11;
  if constexpr (plain != 0) pass_run<R, T, false>(x.re, x.im, y.re, y.im, len * m, len, w);
  for (int64_t p = plain; p < m; ++p)
    pass_run<R, T, true>(x.re + len * p, x.im + len * p, y.re + len * R * p, y.im + len * R * p, len * m, len, w + 2 * (R - 1) * p);
}

template <int R, class T>
MT_INLINE void first_run(const T* __restrict xr, const T* __restrict xi, T* __restrict yr, T* __restrict yi, int64_t m,
                         const T* __restrict w) {
#pragma GCC ivdep
  for (int64_t p = 0; p < m; ++p) {
    T re[R], im[R];
    unroll<R>([&](auto j) __attribute__((always_inline)) { re[j] = xr[p + m * j], im[j] = xi[p + m * j]; });
    transform<R, T>(re, im);
    yr[R * p] = re[0], yi[R * p] = im[0];
    unroll<R - 1>([&](auto j) __attribute__((always_inline)) {
      constexpr int k = j + 1;
      const T wr = w[2 * m * j + p], wi = w[2 * m * j + m + p];
      yr[R * p + k] = re[k] * wr - im[k] * wi;
      yi[R * p + k] = re[k] * wi + im[k] * wr;
    });
  }
}
template <int R, class T>
MT_KERNEL void first(Split<T> x, Split<T> y, int64_t m, int64_t, const T* w) {
  first_run<R, T>(x.re, x.im, y.re, y.im, m, w);
}

// Whether the rows are contiguous, `stride` apart.
template <class P>
bool are_contiguous(P const* rows, int64_t lanes, int64_t& stride) {
  stride = lanes > 1 ? rows[1] - rows[0] : 0;
  for (int64_t v = 2; v < lanes; ++v)
    if (rows[v] - rows[v - 1] != stride) return false;
  return lanes > 1 && stride > 0 && stride <= 2;
}

// Shuffles of two 32-byte vectors; all but the first two move elements only within 16-byte halves.
template <class T>
struct Orders;
template <>
struct Orders<float> {
  typedef int32_t Order __attribute__((vector_size(32)));
  static constexpr Order low{0, 1, 2, 3, 8, 9, 10, 11}, high{4, 5, 6, 7, 12, 13, 14, 15};  // the low and the high halves of both
  static constexpr Order firsts{0, 2, 8, 10, 4, 6, 12, 14}, seconds{1, 3, 9, 11, 5, 7, 13, 15};
  static constexpr Order first_pairs{0, 1, 8, 9, 4, 5, 12, 13}, second_pairs{2, 3, 10, 11, 6, 7, 14, 15};
  static constexpr Order paired_low{0, 8, 1, 9, 4, 12, 5, 13}, paired_high{2, 10, 3, 11, 6, 14, 7, 15};
};
template <>
struct Orders<double> {
  typedef int64_t Order __attribute__((vector_size(32)));
  static constexpr Order low{0, 1, 4, 5}, high{2, 3, 6, 7}, firsts{0, 4, 2, 6}, seconds{1, 5, 3, 7};
};
// For rows that are far apart: transposes in registers blocks of as many rows as a 32-byte vector has elements, and half as many complex
// elements.
template <class T>
struct TransposedTile {
  static constexpr int lanes = 32 / sizeof(T), elements = lanes / 2;
  typedef T Vector __attribute__((vector_size(32)));
  using O = Orders<T>;
  MT_INLINE static void write(T* to, const Vector& v) { __builtin_memcpy(to, &v, 32); }

  MT_INLINE static void load(const T* const* rows, int64_t at, T* re, T* im, int64_t step) {
    Vector r[lanes];
    unroll<lanes>([&](auto v) __attribute__((always_inline)) { __builtin_memcpy(&r[v], rows[v] + at, 32); });
    if constexpr (sizeof(T) == 4) {
      // Each h[v] holds half of row v and half of row v + 4: complex elements 0 and 1, or 2 and 3.
      unroll<2>([&](auto part) __attribute__((always_inline)) {
        Vector h[4];
        unroll<4>([&](auto v) __attribute__((always_inline)) { h[v] = __builtin_shuffle(r[v], r[v + 4], part == 0 ? O::low : O::high); });
        const Vector a = __builtin_shuffle(h[0], h[1], O::first_pairs), b = __builtin_shuffle(h[2], h[3], O::first_pairs),
                     c = __builtin_shuffle(h[0], h[1], O::second_pairs), d = __builtin_shuffle(h[2], h[3], O::second_pairs);
        write(re + (2 * part) * step, __builtin_shuffle(a, b, O::firsts)),
            write(im + (2 * part) * step, __builtin_shuffle(a, b, O::seconds));
        write(re + (2 * part + 1) * step, __builtin_shuffle(c, d, O::firsts)),
            write(im + (2 * part + 1) * step, __builtin_shuffle(c, d, O::seconds));
      });
    } else {
      const Vector a = __builtin_shuffle(r[0], r[1], O::firsts), b = __builtin_shuffle(r[2], r[3], O::firsts),
                   c = __builtin_shuffle(r[0], r[1], O::seconds), d = __builtin_shuffle(r[2], r[3], O::seconds);
      write(re, __builtin_shuffle(a, b, O::low)), write(re + step, __builtin_shuffle(a, b, O::high)),
          write(im, __builtin_shuffle(c, d, O::low)), write(im + step, __builtin_shuffle(c, d, O::high));
    }
  }
  MT_INLINE static void store(T* const* rows, int64_t at, const T* re, const T* im, int64_t step, T scale) {
    Vector r[elements], i[elements];
    unroll<elements>([&](auto k) __attribute__((always_inline)) {
      __builtin_memcpy(&r[k], re + k * step, 32);
      __builtin_memcpy(&i[k], im + k * step, 32);
      r[k] *= scale, i[k] *= scale;
    });
    if constexpr (sizeof(T) == 4) {
      unroll<2>([&](auto part) __attribute__((always_inline)) {
        // Stores rows `2 part` and `2 part` + 1, and the rows four further on.
        Vector z[4];
        unroll<4>([&](auto k)
                      __attribute__((always_inline)) { z[k] = __builtin_shuffle(r[k], i[k], part == 0 ? O::paired_low : O::paired_high); });
        const Vector a = __builtin_shuffle(z[0], z[1], O::first_pairs), b = __builtin_shuffle(z[2], z[3], O::first_pairs),
                     c = __builtin_shuffle(z[0], z[1], O::second_pairs), d = __builtin_shuffle(z[2], z[3], O::second_pairs);
        write(rows[2 * part] + at, __builtin_shuffle(a, b, O::low)), write(rows[2 * part + 4] + at, __builtin_shuffle(a, b, O::high));
        write(rows[2 * part + 1] + at, __builtin_shuffle(c, d, O::low)), write(rows[2 * part + 5] + at, __builtin_shuffle(c, d, O::high));
      });
    } else {
      const Vector a = __builtin_shuffle(r[0], i[0], O::firsts), b = __builtin_shuffle(r[0], i[0], O::seconds),
                   c = __builtin_shuffle(r[1], i[1], O::firsts), d = __builtin_shuffle(r[1], i[1], O::seconds);
      write(rows[0] + at, __builtin_shuffle(a, c, O::low)), write(rows[2] + at, __builtin_shuffle(a, c, O::high)),
          write(rows[1] + at, __builtin_shuffle(b, d, O::low)), write(rows[3] + at, __builtin_shuffle(b, d, O::high));
    }
  }
};

template <class T>
MT_INLINE void load_run(const T* __restrict from, T* __restrict re, T* __restrict im, int64_t n, int64_t step, int64_t imaginary) {
  if (imaginary == 0) {
    for (int64_t i = 0; i < n; ++i) re[i] = from[i * step], im[i] = 0;
  } else if (step == 2 && imaginary == 1) {
    for (int64_t i = 0; i < n; ++i) re[i] = from[2 * i], im[i] = from[2 * i + 1];
  } else {
    for (int64_t i = 0; i < n; ++i) re[i] = from[i * step], im[i] = from[i * step + imaginary];
  }
}
template <class T>
MT_KERNEL void load(const T* const* rows, int64_t lanes, int64_t n, int64_t step, int64_t imaginary, Split<T> x) {
  int64_t beside;
  if (lanes == 1) {
    load_run(rows[0], x.re, x.im, n, step, imaginary);
  } else if (are_contiguous(rows, lanes, beside)) {
    for (int64_t i = 0; i < n; ++i) load_run(rows[0] + i * step, x.re + i * lanes, x.im + i * lanes, lanes, beside, imaginary);
  } else {
    using Block = TransposedTile<T>;
    int64_t whole = 0;
    if (MT_ISA_TRANSPOSES && step == 2 && imaginary == 1 && lanes % Block::lanes == 0)
      for (; whole + Block::elements <= n; whole += Block::elements)
        for (int64_t v = 0; v < lanes; v += Block::lanes)
          Block::load(rows + v, 2 * whole, x.re + whole * lanes + v, x.im + whole * lanes + v, lanes);
    for (int64_t start = whole; start < n; start += 16) {
      const int64_t stop = start + 16 < n ? start + 16 : n;
      for (int64_t v = 0; v < lanes; ++v)
        for (int64_t i = start; i < stop; ++i) {
          x.re[i * lanes + v] = rows[v][i * step];
          x.im[i * lanes + v] = imaginary ? rows[v][i * step + imaginary] : T(0);
        }
    }
  }
}

template <class T>
MT_INLINE void store_run(const T* __restrict re, const T* __restrict im, T* __restrict to, int64_t n, int64_t step, int64_t imaginary,
                         T scale) {
  if (imaginary == 0) {
    for (int64_t i = 0; i < n; ++i) to[i * step] = re[i] * scale;
  } else if (step == 2 && imaginary == 1) {
    for (int64_t i = 0; i < n; ++i) to[2 * i] = re[i] * scale, to[2 * i + 1] = im[i] * scale;
  } else {
    for (int64_t i = 0; i < n; ++i) to[i * step] = re[i] * scale, to[i * step + imaginary] = im[i] * scale;
  }
}
template <class T>
MT_KERNEL void store(T* const* rows, int64_t lanes, int64_t n, int64_t step, int64_t imaginary, Split<T> x, T scale) {
  int64_t beside;
  if (lanes == 1) {
    store_run(x.re, x.im, rows[0], n, step, imaginary, scale);
  } else if (are_contiguous(rows, lanes, beside)) {
    for (int64_t i = 0; i < n; ++i) store_run(x.re + i * lanes, x.im + i * lanes, rows[0] + i * step, lanes, beside, imaginary, scale);
  } else {
    using Block = TransposedTile<T>;
    int64_t whole = 0;
    if (MT_ISA_TRANSPOSES && step == 2 && imaginary == 1 && lanes % Block::lanes == 0)
      for (; whole + Block::elements <= n; whole += Block::elements)
        for (int64_t v = 0; v < lanes; v += Block::lanes)
          Block::store(rows + v, 2 * whole, x.re + whole * lanes + v, x.im + whole * lanes + v, lanes, scale);
    for (int64_t start = whole; start < n; start += 16) {
      const int64_t stop = start + 16 < n ? start + 16 : n;
      for (int64_t v = 0; v < lanes; ++v)
        for (int64_t i = start; i < stop; ++i) {
          rows[v][i * step] = x.re[i * lanes + v] * scale;
          if (imaginary) rows[v][i * step + imaginary] = x.im[i * lanes + v] * scale;
        }
    }
  }
}

template <class T>
MT_INLINE void multiply_run(T* __restrict re, T* __restrict im, int64_t n, T wr, T wi) {
  for (int64_t i = 0; i < n; ++i) {
    const T r = re[i] * wr - im[i] * wi;
    im[i] = re[i] * wi + im[i] * wr;
    re[i] = r;
  }
}
template <class T>
MT_KERNEL void multiply(Split<T> x, int64_t n, int64_t lanes, const T* w) {
  if (lanes > 1) {
    for (int64_t i = 0; i < n; ++i) multiply_run(x.re + i * lanes, x.im + i * lanes, lanes, w[2 * i], w[2 * i + 1]);
    return;
  }
  T* __restrict re = x.re, * __restrict im = x.im;
  for (int64_t i = 0; i < n; ++i) {
    const T r = re[i] * w[2 * i] - im[i] * w[2 * i + 1];
    im[i] = re[i] * w[2 * i + 1] + im[i] * w[2 * i];
    re[i] = r;
  }
}
template <class T>
MT_KERNEL void multiply_lanes(Split<T> x, int64_t n, const T* __restrict a_re, const T* __restrict a_im) {
  T* __restrict re = x.re, * __restrict im = x.im;
  for (int64_t i = 0; i < n; ++i) {
    const T r = re[i] * a_re[i] - im[i] * a_im[i];
    im[i] = re[i] * a_im[i] + im[i] * a_re[i];
    re[i] = r;
  }
}

// Computes elements k and half - k together: they share the sums, and the products up to sign.
template <class T>
MT_INLINE void merge_pair(T ar, T ai, T br, T bi, T wr, T wi, T& yr, T& yi, T& mirrored_r, T& mirrored_i) {
  const T even_r = ar + br, even_i = ai - bi, odd_r = ai + bi, odd_i = br - ar;
  const T r = odd_r * wr - odd_i * wi, i = odd_r * wi + odd_i * wr;
  yr = T(0.5) * (even_r + r), yi = T(0.5) * (even_i + i);
  mirrored_r = T(0.5) * (even_r - r), mirrored_i = T(0.5) * (i - even_i);
}
template <class T>
MT_KERNEL void merge_real_halves(Split<T> z, Split<T> y, int64_t half, int64_t lanes, const T* __restrict w) {
  const T* __restrict zr = z.re, * __restrict zi = z.im;
  T* __restrict yr = y.re, * __restrict yi = y.im;
  for (int64_t v = 0; v < lanes; ++v) {
    yr[v] = zr[v] + zi[v], yi[v] = 0;
    yr[half * lanes + v] = zr[v] - zi[v], yi[half * lanes + v] = 0;
  }
  const int64_t middle = half / 2;
  if (lanes == 1) {
#pragma GCC ivdep
    for (int64_t k = 1; k <= middle; ++k) {
      const int64_t m = half - k;
      merge_pair(zr[k], zi[k], zr[m], zi[m], w[2 * k], w[2 * k + 1], yr[k], yi[k], yr[m], yi[m]);
    }
    return;
  }
  for (int64_t k = 1; k <= half / 2; ++k) {
    const int64_t a = k * lanes, b = (half - k) * lanes;
    const T wr = w[2 * k], wi = w[2 * k + 1];
#pragma GCC ivdep
    for (int64_t v = 0; v < lanes; ++v)
      merge_pair(zr[a + v], zi[a + v], zr[b + v], zi[b + v], wr, wi, yr[a + v], yi[a + v], yr[b + v], yi[b + v]);
  }
}
template <class T>
MT_INLINE void split_pair(T ar, T ai, T br, T bi, T wr, T wi, T& zr, T& zi, T& mirrored_r, T& mirrored_i) {
  const T even_r = ar + br, even_i = ai - bi, r = ar - br, i = ai + bi;
  const T p = i * wr - r * wi, q = r * wr + i * wi;
  zr = even_r - p, zi = even_i + q;
  mirrored_r = even_r + p, mirrored_i = q - even_i;
}
template <class T>
MT_KERNEL void split_real_halves(Split<T> y, Split<T> z, int64_t half, int64_t lanes, const T* __restrict w) {
  const T* __restrict yr = y.re, * __restrict yi = y.im;
  T* __restrict zr = z.re, * __restrict zi = z.im;
  for (int64_t v = 0; v < lanes; ++v) zr[v] = yr[v] + yr[half * lanes + v], zi[v] = yr[v] - yr[half * lanes + v];
  const int64_t middle = half / 2;
  if (lanes == 1) {
#pragma GCC ivdep
    for (int64_t k = 1; k <= middle; ++k) {
      const int64_t m = half - k;
      split_pair(yr[k], yi[k], yr[m], yi[m], w[2 * k], w[2 * k + 1], zr[k], zi[k], zr[m], zi[m]);
    }
    return;
  }
  for (int64_t k = 1; k <= half / 2; ++k) {
    const int64_t a = k * lanes, b = (half - k) * lanes;
    const T wr = w[2 * k], wi = w[2 * k + 1];
#pragma GCC ivdep
    for (int64_t v = 0; v < lanes; ++v)
      split_pair(yr[a + v], yi[a + v], yr[b + v], yi[b + v], wr, wi, zr[a + v], zi[a + v], zr[b + v], zi[b + v]);
  }
}

#define MT_UP_TO_8(kernel) nullptr, nullptr, kernel<2, T>, kernel<3, T>, kernel<4, T>, kernel<5, T>, nullptr, kernel<7, T>, kernel<8, T>
template <class T>
constexpr FftKernels<T> kernels{{MT_UP_TO_8(pass), nullptr, nullptr, pass<11, T>, nullptr, pass<13, T>},
                                {MT_UP_TO_8(first)},
                                load<T>,
                                store<T>,
                                multiply<T>,
                                multiply_lanes<T>,
                                merge_real_halves<T>,
                                split_real_halves<T>};
#undef MT_UP_TO_8
#undef MT_KERNEL
#undef MT_INLINE

}  // namespace MT_ISA_NAME

#define MT_JOIN_(a, b, c) a##b##c
#define MT_JOIN(a, b, c) MT_JOIN_(a, b, c)
const FftKernels<float> MT_JOIN(fft_, MT_ISA_NAME, _float) = MT_ISA_NAME::kernels<float>;
const FftKernels<double> MT_JOIN(fft_, MT_ISA_NAME, _double) = MT_ISA_NAME::kernels<double>;
#undef MT_JOIN
#undef MT_JOIN_

}  // namespace mt::cpu::detail
