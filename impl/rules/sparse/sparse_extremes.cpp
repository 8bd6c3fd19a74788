// Max and min products of a sparse and a dense matrix: vectors of columns that stay in registers along a row.
#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "rules/reduction/rows.h"
#include "rules/sparse/sparse_products.h"

namespace mt {
namespace {

template <class T>
struct RowExtremes {
  const int64_t *starts, *columns;
  const T *values, *right;
  int64_t width, none;  // none: the value of `arg` for rows without elements
  T* best;
  int64_t* arg;
};

template <class T, bool greatest, bool asks>
struct FindRowExtremes {
  using Number = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  static constexpr int lanes = 32 / sizeof(T);
  typedef T Vector __attribute__((vector_size(32)));
  typedef Number Numbers __attribute__((vector_size(32)));

  static void run(const RowExtremes<T>* extremes, int64_t first_row, int64_t last_row) {
    for (int64_t row = first_row; row < last_row; ++row) {
      int64_t j = 0;
      if (extremes->starts[row] == extremes->starts[row + 1]) {
        std::fill_n(extremes->best + row * extremes->width, extremes->width, T(0));
        if (asks) std::fill_n(extremes->arg + row * extremes->width, extremes->width, extremes->none);
        continue;
      }
      const bool fits = extremes->starts[row + 1] - extremes->starts[row] <= std::numeric_limits<Number>::max();
      constexpr int most = asks ? 4 : 8;
      for (; fits && j + most * lanes <= extremes->width; j += most * lanes) run_vectors<most>(*extremes, row, j);
      for (; fits && j + lanes <= extremes->width; j += lanes) run_vectors<1>(*extremes, row, j);
      for (; j < extremes->width; ++j) run_element(*extremes, row, j);
    }
  }

  // Handles `count` vectors of columns. Element numbers are counted from the row's first element, in integers as wide as T.
  template <int count>
  [[gnu::always_inline]] static inline void run_vectors(const RowExtremes<T>& p, int64_t row, int64_t j) {
    const int64_t first = p.starts[row], n = p.starts[row + 1] - first;
    Vector best[count] = {};
    Numbers at[count] = {};
    for (int64_t k = 0; k < n; ++k) {
      const T factor = p.values[first + k];
      const T* from = p.right + p.columns[first + k] * p.width + j;
      for (int v = 0; v < count; ++v) {
        Vector product;
        std::memcpy(&product, from + v * lanes, sizeof(product));
        product *= factor;
        if (k == 0) best[v] = product;
        const Numbers takes = (greatest ? product > best[v] : product < best[v]) | (product != product);
        best[v] = takes ? product : best[v];
        if constexpr (asks) at[v] = takes ? Numbers{} + Number(k) : at[v];
      }
    }
    T* to = p.best + row * p.width + j;
    for (int v = 0; v < count; ++v) {
      std::memcpy(to + v * lanes, &best[v], sizeof(Vector));
      if constexpr (asks)
        for (int l = 0; l < lanes; ++l) p.arg[row * p.width + j + v * lanes + l] = first + at[v][l];
    }
  }
  [[gnu::always_inline]] static inline void run_element(const RowExtremes<T>& p, int64_t row, int64_t j) {
    int64_t at = p.starts[row];
    T best = p.values[at] * p.right[p.columns[at] * p.width + j];
    for (int64_t k = at + 1; k < p.starts[row + 1]; ++k) {
      const T product = p.values[k] * p.right[p.columns[k] * p.width + j];
      const bool takes = (greatest ? product > best : product < best) | (product != product);
      best = takes ? product : best;
      if constexpr (asks) at = takes ? k : at;
    }
    p.best[row * p.width + j] = best;
    if constexpr (asks) p.arg[row * p.width + j] = at;
  }
};

template <class T, bool greatest, bool asks>
void run_all_rows(const RowExtremes<T>& p, int64_t rows) {
  static const auto run = row_clone<FindRowExtremes<T, greatest, asks>>(FindRowExtremes<T, greatest, asks>::run);
  const int64_t work = p.width * (1 + p.none / std::max<int64_t>(1, rows));
  cpu::parallel_for(0, rows, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, work)),
                    [&](int64_t begin, int64_t end) { run(&p, begin, end); });
}

}  // namespace

void extreme_products(const SparseRows& rows, const Tensor& right, bool greatest, const Tensor& best, const Tensor& arg) {
  const bool asks = arg.defined();
  const Tensor values = dense(rows.values);
  dispatch_floating(best.dtype(), "spmm_reduce_kernel", [&]<class T>(Type<T>) {
    if constexpr (std::is_floating_point_v<T>) {
      const RowExtremes<T> p{rows.starts.data<int64_t>(),
                             rows.columns.data<int64_t>(),
                             values.data<T>(),
                             right.data<T>(),
                             right.size(1),
                             rows.columns.numel(),
                             best.data<T>(),
                             asks ? arg.data<int64_t>() : nullptr};
      const auto run = greatest ? (asks ? run_all_rows<T, true, true> : run_all_rows<T, true, false>)
                                : (asks ? run_all_rows<T, false, true> : run_all_rows<T, false, false>);
      run(p, best.size(0));
    }
  });
}

}  // namespace mt
