// Complex matrix products: operands are copied into packed column-major form, conjugated on the way, and given to BLAS
// in tiles; without a BLAS a plain loop does them.
#include "gemm_complex.h"

#include <algorithm>

#include "allocator.h"
#include "blas.h"
#include "parallel.h"

namespace mt::cpu::detail {
namespace {

template <class T>
struct Copy {
  size_t bytes;
  T* data;
  explicit Copy(int64_t count)
      : bytes(static_cast<size_t>(count) * sizeof(T)), data(static_cast<T*>(allocate(bytes))) {}
  ~Copy() { deallocate(data, bytes); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
};

// Row-major copy of a rows x cols matrix.
template <class T>
void gather(ConstMatrix<T> from, int64_t rows, int64_t cols, T* to) {
  parallel_for(0, rows, std::max<int64_t>(1, 32768 / std::max<int64_t>(cols, 1)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* row = from.data + i * from.row_stride;
      for (int64_t j = 0; j < cols; ++j) {
        const T value = row[j * from.col_stride];
        to[i * cols + j] = from.conjugate ? std::conj(value) : value;
      }
    }
  });
}

template <class T>
void multiply_plainly(int64_t rows, int64_t n, int64_t k, const T* a, const T* b, T* c) {
  std::fill_n(c, rows * n, T(0));
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t p = 0; p < k; ++p) {
      const T left = a[i * k + p];
      for (int64_t j = 0; j < n; ++j) {
        const T right = b[p * n + j];
        c[i * n + j] += T(left.real() * right.real() - left.imag() * right.imag(),
                          left.real() * right.imag() + left.imag() * right.real());
      }
    }
  }
}

}  // namespace

template <class T>
void gemm_complex(int64_t m, int64_t n, int64_t k, T alpha, ConstMatrix<T> a, ConstMatrix<T> b, T beta, Matrix<T> c,
                  const Epilogue<T>& epilogue) {
  if (m <= 0 || n <= 0) return;
  const bool product = k > 0 && alpha != T(0);
  const int64_t depth = product ? k : 0;
  Copy<T> left(m * depth);
  Copy<T> right(depth * n);
  if (product) {
    gather(a, m, k, left.data);
    gather(b, k, n, right.data);
  }
  // Rows of C in parts of fixed size; row-major C = A B is column-major C^T = B^T A^T.
  const int64_t part =
      std::max<int64_t>(1, std::min<int64_t>(m, 65536 / std::max<int64_t>(1, std::min<int64_t>(n, 4096))));
  const int64_t parts = (m + part - 1) / part;
  parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t index = begin; index < end; ++index) {
      const int64_t first = index * part;
      const int64_t rows = std::min(part, m - first);
      Copy<T> sums(rows * n);
      if (!product) {
        std::fill_n(sums.data, rows * n, T(0));
      } else if (!blas_gemm('N', 'N', static_cast<int>(n), static_cast<int>(rows), static_cast<int>(k), T(1),
                            right.data, static_cast<int>(n), left.data + first * k, static_cast<int>(k), T(0),
                            sums.data, static_cast<int>(n))) {
        multiply_plainly(rows, n, k, left.data + first * k, right.data, sums.data);
      }
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          T& place = c.data[(first + i) * c.row_stride + j * c.col_stride];
          T value = alpha == T(1) ? sums.data[i * n + j] : alpha * sums.data[i * n + j];
          if (beta != T(0)) value += beta == T(1) ? place : beta * place;
          if (epilogue.row_bias != nullptr) value += epilogue.row_bias[(first + i) * epilogue.row_bias_stride];
          if (epilogue.col_bias != nullptr) value += epilogue.col_bias[j * epilogue.col_bias_stride];
          place = value;
        }
      }
    }
  });
}

template void gemm_complex<std::complex<float>>(int64_t, int64_t, int64_t, std::complex<float>,
                                                ConstMatrix<std::complex<float>>, ConstMatrix<std::complex<float>>,
                                                std::complex<float>, Matrix<std::complex<float>>,
                                                const Epilogue<std::complex<float>>&);
template void gemm_complex<std::complex<double>>(int64_t, int64_t, int64_t, std::complex<double>,
                                                 ConstMatrix<std::complex<double>>, ConstMatrix<std::complex<double>>,
                                                 std::complex<double>, Matrix<std::complex<double>>,
                                                 const Epilogue<std::complex<double>>&);

}  // namespace mt::cpu::detail
