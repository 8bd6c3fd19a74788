// Running sums of dense tensors: vectorised along lines, and half types as floats, piece by piece.
#pragma once

#include <algorithm>

#include "cpu/rows/wide_rows.h"
#include "rules/reduction/rows.h"

namespace mt {

// Running sums of contiguous lines in C, four elements at a time, which makes the dependency chain four times shorter.
template <class T, class C>
struct RunningSums {
  static void run(const T* in, T* out, int64_t n, int64_t lines) {
    for (; lines > 0; --lines, in += n, out += n) line(in, out, n);
  }
  [[gnu::always_inline]] static void line(const T* in, T* out, int64_t n) {
    typedef T Four __attribute__((vector_size(4 * sizeof(T)), aligned(alignof(T)), may_alias));
    typedef C Sums __attribute__((vector_size(4 * sizeof(C))));
    const Sums zero = {};
    Sums total = {};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
      Sums v = __builtin_convertvector(*reinterpret_cast<const Four*>(in + i), Sums);
      v += __builtin_shufflevector(zero, v, 0, 4, 5, 6);
      v += __builtin_shufflevector(zero, v, 0, 0, 4, 5);
      *reinterpret_cast<Four*>(out + i) = __builtin_convertvector(total + v, Four);
      total += __builtin_shufflevector(v, v, 3, 3, 3, 3);
    }
    for (C sum = total[0]; i < n; ++i) out[i] = T(sum = sum + C(in[i]));
  }
};

// Converts pieces of a tensor to float, and pieces of its running sums back; other dtypes than half types need no conversion.
template <class T>
struct Pieces {
  static constexpr bool converts = !std::is_same_v<T, ComputeType<T>>;
  static constexpr int64_t tile = 1024;  // elements that are converted together
  const T* in;
  T* out;
  cpu::Conversion widen, narrow;
  Pieces(const Tensor& self, const Tensor& result)
      : in(self.data<T>()), out(result.data<T>()), widen(compute_dtype(self.dtype()), self.dtype()),
        narrow(self.dtype(), compute_dtype(self.dtype())) {}
  // Converts the n elements from `at` on to float in `wide`, calls f(wide), which replaces them by results, and converts these back into
  // `out`.
  template <class F>
  void apply_in_float(float* wide, int64_t at, int64_t n, F&& f) const {
    widen(wide, sizeof(float), in + at, sizeof(T), n);
    f(wide);
    narrow(out + at, sizeof(T), wide, sizeof(float), n);
  }
};

template <class T>
void sum_rows(const Tensor& self, const Tensor& out) {
  using C = ComputeType<T>;
  using Sums = RunningSums<C, std::conditional_t<std::is_same_v<T, float>, double, C>>;
  const int64_t n = self.dim() ? self.size(-1) : 1;
  const auto row = row_clone<Sums>(Sums::run);
  const Pieces<T> pieces(self, out);
  cpu::for_row_pieces(self.numel() / n, n, [&](int64_t begin, int64_t end) {
    if constexpr (pieces.converts) {
      const int64_t most = std::max<int64_t>(1, pieces.tile / n);
      cpu::Buffer<float> wide(n * most);
      for (int64_t r = begin, rows; r < end; r += rows) {
        rows = std::min(most, end - r);
        pieces.apply_in_float(wide.data(), r * n, rows * n, [&](float* x) { row(x, x, n, rows); });
      }
    } else {
      row(pieces.in + begin * n, pieces.out + begin * n, n, end - begin);
    }
  });
}
// Running sums of half types along columns, or of parts of long rows.
template <class T>
void sum_columns(const Tensor& self, const Tensor& out, int64_t n, int64_t columns) {
  const Pieces<T> pieces(self, out);
  const int64_t width = std::min(columns, pieces.tile), blocks = (columns + width - 1) / width;
  cpu::parallel_for(0, self.numel() / n / columns * blocks, std::max<int64_t>(1, 16384 / n / width), [&](int64_t begin, int64_t end) {
    float totals[Pieces<T>::tile], wide[Pieces<T>::tile];
    for (int64_t b = begin; b < end; ++b) {
      const int64_t column = b % blocks * width, count = std::min(width, columns - column), first = b / blocks * n * columns + column;
      std::fill_n(totals, count, 0.0f);
      const int64_t most = blocks > 1 ? 1 : pieces.tile / count;
      for (int64_t i = 0, rows; i < n; i += rows) {
        rows = std::min(most, n - i);
        pieces.apply_in_float(wide, first + i * columns, rows * count, [&](float* x) {
          for (int64_t r = 0; r < rows; ++r, x += count)
            for (int64_t j = 0; j < count; ++j) x[j] = totals[j] += x[j];
        });
      }
    }
  });
}

}  // namespace mt
