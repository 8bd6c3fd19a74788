#include "cpu/gemm/gemm_small.h"

#include "cpu/clones.h"

namespace mt::cpu::detail {
namespace {

// Holds a row of C in one vector, whatever its length. If matrices are contiguous, whole vectors are read and written: the next row's
// results overwrite the surplus.
template <class T>
struct Multiply {
  static void run(const SmallProducts<T>* products, int64_t begin, int64_t end) {
    const SmallProducts<T> p = *products;
    constexpr int64_t lanes = small_cols;
    const int64_t missing = lanes - p.n;
    const bool b_in_rows = p.n == 1 || p.b.col_stride == 1, c_in_rows = p.n == 1 || p.c.col_stride == 1;
    const bool is_dense = p.c.row_stride == p.n && p.c_step == p.m * p.n && (p.n > 1 || p.beta == 0);
    const bool whole_c = c_in_rows && (missing == 0 || is_dense);
    T tile[small_depth * lanes] = {};
    for (int64_t i = begin; i < end; ++i) {
      const T* b = p.b.data + i * p.b_step;
      int64_t step = p.b.row_stride;
      if (!b_in_rows || (p.batch - 1 - i) * p.b_step < missing) {
        for (int64_t q = 0; q < p.k; ++q)
          for (int64_t j = 0; j < p.n; ++j) tile[q * lanes + j] = b[q * p.b.row_stride + j * p.b.col_stride];
        b = tile, step = lanes;
      }
      for (int64_t r = 0; r < p.m; ++r) {
        const T* const a = p.a.data + i * p.a_step + r * p.a.row_stride;
        T* const c = p.c.data + i * p.c_step + r * p.c.row_stride;
        T sum[lanes] = {};
        for (int64_t q = 0; q < p.k; ++q) {
          const T x = a[q * p.a.col_stride];
          for (int j = 0; j < lanes; ++j) sum[j] += x * b[q * step + j];
        }
        for (int j = 0; j < lanes; ++j) sum[j] *= p.alpha;
        if (whole_c && (end - 1 - i) * p.c_step + (p.m - 1 - r) * p.n >= missing) {
          if (p.beta != 0)
            for (int j = 0; j < lanes; ++j) sum[j] = j < p.n ? sum[j] + p.beta * c[j] : c[j];
          for (int j = 0; j < lanes; ++j) c[j] = sum[j];
        } else {
          for (int64_t j = 0; j < p.n; ++j) {
            T& to = c[j * p.c.col_stride];
            to = p.beta == 0 ? sum[j] : sum[j] + p.beta * to;
          }
        }
      }
    }
  }
};

}  // namespace

template <class T>
void SmallProducts<T>::run(int64_t begin, int64_t end) const {
  using Kernel = void (*)(const SmallProducts*, int64_t, int64_t);
  // An AVX2 vector holds a complete row of floats.
  static const Kernel multiply = cpu_capability() >= Capability::avx2 ? Kernel(run_avx2<Multiply<T>>) : Kernel(run_baseline<Multiply<T>>);
  multiply(this, begin, end);
}
template struct SmallProducts<float>;
template struct SmallProducts<double>;

}  // namespace mt::cpu::detail
