// Sparse rows times a dense matrix: one row after another, summing as many columns as the registers hold.
#include "cpu/gemm/sparse_rows.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "cpu/clones.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu {
namespace {

// Computes columns of `Bytes * Count` bytes of one row from `column` on. A complex number is a pair: products with the value's real part
// and with its imaginary part are summed separately, and combined at the end.
template <class T, class P>
struct SumRows {
  static constexpr bool is_pair = !std::is_same_v<T, P>;

  template <int Bytes, int Count>
  MT_INLINE static void sum_columns(const SparseProduct<T>& s, int64_t row, int64_t column) {
    typedef P Vector __attribute__((vector_size(Bytes)));
    Vector sums[Count] = {}, crossed[Count] = {};
    const char* const from = reinterpret_cast<const char*>(s.dense + column);
    const int64_t step = s.dense_step * int64_t(sizeof(T)), end = s.starts[row + 1];
    for (int64_t k = s.starts[row]; k < end; ++k) {
      const char* const line = from + s.columns[k] * step;
      const auto* const value = reinterpret_cast<const P*>(s.values + k);
#pragma GCC unroll 8
      for (int i = 0; i < Count; ++i) {
        Vector x;
        std::memcpy(&x, line + i * Bytes, Bytes);
        sums[i] += value[0] * x;
        if constexpr (is_pair) crossed[i] += value[1] * x;
      }
    }
    store_row_sums<Bytes, Count>(s, s.out + row * s.out_step + column, sums, crossed);
  }

  template <int Bytes, int Count, class Vector>
  MT_INLINE static void store_row_sums(const SparseProduct<T>& s, T* out, const Vector* sums, const Vector* crossed) {
    constexpr int n = Bytes * Count / int(sizeof(T));
    const bool adds = s.beta != T(0);
    if constexpr (is_pair) {
      P straight[2 * n], across[2 * n];
      std::memcpy(straight, sums, sizeof(straight)), std::memcpy(across, crossed, sizeof(across));
      for (int j = 0; j < n; ++j) {
        const T sum = multiply_values(s.alpha, T(straight[2 * j] - across[2 * j + 1], straight[2 * j + 1] + across[2 * j]));
        out[j] = adds ? multiply_values(s.beta, out[j]) + sum : sum;
      }
    } else {
#pragma GCC unroll 8
      for (int i = 0; i < Count; ++i) {
        Vector sum = s.alpha * sums[i];
        if (adds) {
          Vector before;
          std::memcpy(&before, out + i * (n / Count), Bytes);
          sum += s.beta * before;
        }
        std::memcpy(out + i * (n / Count), &sum, Bytes);
      }
    }
  }
  MT_INLINE static std::complex<P> multiply_values(std::complex<P> a, std::complex<P> b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

  // Computes one column of one row; rows of 32 elements or more use four independent accumulators.
  MT_INLINE static void sum_column(const SparseProduct<T>& s, int64_t row, int64_t step) {
    constexpr int lanes = 4;
    P sums[lanes][1 + is_pair] = {}, crossed[lanes][1 + is_pair] = {};
    const auto add = [&](int lane, int64_t k) {
      const auto *value = reinterpret_cast<const P*>(s.values + k), *x = reinterpret_cast<const P*>(s.dense + s.columns[k] * step);
      for (int part = 0; part <= is_pair; ++part) {
        sums[lane][part] += value[0] * x[part];
        if constexpr (is_pair) crossed[lane][part] += value[1] * x[part];
      }
    };
    int64_t k = s.starts[row];
    const int64_t end = s.starts[row + 1];
    if (end - k >= 32)
      for (; k + lanes <= end; k += lanes)
        for (int lane = 0; lane < lanes; ++lane) add(lane, k + lane);
    for (; k < end; ++k) add(0, k);
    for (int part = 0; part <= is_pair; ++part) {
      sums[0][part] = (sums[0][part] + sums[1][part]) + (sums[2][part] + sums[3][part]);
      if constexpr (is_pair) crossed[0][part] = (crossed[0][part] + crossed[1][part]) + (crossed[2][part] + crossed[3][part]);
    }
    T& out = s.out[row * s.out_step];
    T sum;
    if constexpr (is_pair)
      sum = multiply_values(s.alpha, T(sums[0][0] - crossed[0][1], sums[0][1] + crossed[0][0]));
    else
      sum = s.alpha * sums[0][0];
    out = s.beta == T(0) ? sum : multiply_values(s.beta, out) + sum;
  }
  MT_INLINE static P multiply_values(P a, P b) { return a * b; }

  template <int Bytes>
  struct ForVectors {
    static void run(const SparseProduct<T>* product, int64_t first_row, int64_t last_row) {
      if (product->width == 1) {
        const SparseProduct<T> local = *product;  // a local copy, which no store can alias
        if (local.dense_step == 1)
          for (int64_t row = first_row; row < last_row; ++row) sum_column(local, row, 1);
        else
          for (int64_t row = first_row; row < last_row; ++row) sum_column(local, row, local.dense_step);
        return;
      }
      constexpr int most = is_pair ? 4 : 8;
      constexpr int64_t lanes = Bytes / sizeof(T), few = std::max<int64_t>(16, sizeof(T)) / sizeof(T);
      for (int64_t row = first_row; row < last_row; ++row) {
        int64_t j = 0;
        for (; j + most * lanes <= product->width; j += most * lanes) sum_columns<Bytes, most>(*product, row, j);
        for (; j + 2 * lanes <= product->width; j += 2 * lanes) sum_columns<Bytes, 2>(*product, row, j);
        for (; j + few <= product->width; j += few) sum_columns<few * sizeof(T), 1>(*product, row, j);
        for (; j < product->width; ++j) sum_columns<sizeof(T), 1>(*product, row, j);
      }
    }
  };
};

// Integers wrap.
template <class T>
struct SumIntegers {
  static void run(const SparseProduct<T>* s, int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      T* const out = s->out + row * s->out_step;
      for (int64_t j = 0; j < s->width; ++j) out[j] = s->beta == 0 ? T(0) : T(uint64_t(s->beta) * uint64_t(out[j]));
      for (int64_t k = s->starts[row]; k < s->starts[row + 1]; ++k) {
        const T* const line = s->dense + s->columns[k] * s->dense_step;
        const auto value = std::make_unsigned_t<T>(uint64_t(s->alpha) * uint64_t(s->values[k]));
        for (int64_t j = 0; j < s->width; ++j) out[j] = T(uint64_t(out[j]) + uint64_t(value) * uint64_t(line[j]));
      }
    }
  }
};

template <class T>
auto choose_row_loop() {
  if constexpr (std::is_integral_v<T>) {
    return detail::choose_clone<SumIntegers<T>>(SumIntegers<T>::run);
  } else if constexpr (std::is_floating_point_v<T>) {
    return detail::choose_width<SumRows<T, T>::template ForVectors>(SumRows<T, T>::template ForVectors<32>::run);
  } else {
    using P = typename T::value_type;
    return detail::choose_width<SumRows<T, P>::template ForVectors>(SumRows<T, P>::template ForVectors<32>::run);
  }
}

}  // namespace

template <class T>
void sparse_product(const SparseProduct<T>& product, int64_t rows) {
  static const auto loop = choose_row_loop<T>();
  // Splits rows into pieces of equal work, since rows differ in their number of elements.
  const int64_t *const starts = product.starts, work = starts[rows] - starts[0] + rows;
  const int64_t grain = std::max<int64_t>(1, 32768 / std::max<int64_t>(1, product.width));
  auto row_at = [&](int64_t at) {
    int64_t low = 0, high = rows;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (starts[middle] - starts[0] + middle < at)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  parallel_for(0, work, grain, [&](int64_t begin, int64_t end) { loop(&product, row_at(begin), row_at(end)); });
}

template void sparse_product(const SparseProduct<float>&, int64_t);
template void sparse_product(const SparseProduct<double>&, int64_t);
template void sparse_product(const SparseProduct<std::complex<float>>&, int64_t);
template void sparse_product(const SparseProduct<std::complex<double>>&, int64_t);
template void sparse_product(const SparseProduct<uint8_t>&, int64_t);
template void sparse_product(const SparseProduct<int8_t>&, int64_t);
template void sparse_product(const SparseProduct<int16_t>&, int64_t);
template void sparse_product(const SparseProduct<int32_t>&, int64_t);
template void sparse_product(const SparseProduct<int64_t>&, int64_t);

}  // namespace mt::cpu
