// The linear algebra family: torch's checks, and conversion of batches of matrices to and from LAPACK's column-major arrays.
#pragma once

#include <climits>
#include <complex>
#include <vector>

#include "core/dispatch_dtype.h"
#include "core/messages.h"
#include "core/warn_once.h"
#include "cpu/linalg/lapack.h"
#include "cpu/threads/parallel.h"
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {

// ---- checks with torch's error messages; `name` as in "linalg.cholesky" ----

inline void check_matrix(const char* name, const Tensor& a, const char* argument = "A") {
  check(a.dim() >= 2, "{}: The input tensor {} must have at least 2 dimensions.", name, argument);
}
inline void check_square(const char* name, const Tensor& a) {
  check_matrix(name, a);
  check(a.size(-1) == a.size(-2), "{}: A must be batches of square matrices, but they are {} by {} matrices", name, a.size(-2), a.size(-1));
}
inline void check_floating(const char* name, const Tensor& a) {
  check(is_differentiable(a.dtype()), "{}: Expected a floating point or complex tensor as input. Got {}", name, a.dtype());
}
inline void check_linalg_dtype(const char* name, const Tensor& a) {
  check_floating(name, a);
  check(!is_half(a.dtype()), "{}: Low precision dtypes not supported. Got {}", name, a.dtype());
}
// A X = B, or X A = B.
inline void check_equation(const char* name, const Tensor& a, const Tensor& b, bool left) {
  check_square(name, a);
  check_matrix(name, b, "B");
  check(left ? a.size(-2) == b.size(-2) : a.size(-1) == b.size(-1),
        "{}: Incompatible shapes of A and B for the equation {} ({}x{} and {}x{})", name, left ? "AX = B" : "XA = B", a.size(-2),
        a.size(-1), b.size(-2), b.size(-1));
}
// The checks and error messages of the older functions, such as triangular_solve.
inline void check_old_equation(const char* name, const Tensor& b, const Tensor& a) {
  check(a.device() == b.device(), "Expected b and A to be on the same device, but found b on {} and A on {} instead.", b.device(),
        a.device());
  check(a.dtype() == b.dtype(), messages::dtypes_of_b_and_a_differ, b.dtype(), a.dtype());
  check(a.size(-1) == a.size(-2), "A must be batches of square matrices, but they are {} by {} matrices", a.size(-2), a.size(-1));
  check(a.size(-2) == b.size(-2), "Incompatible matrix sizes for {}: each A matrix is {} by {} but each b matrix is {} by {}", name,
        a.size(-1), a.size(-1), b.size(-2), b.size(-1));
}
// Raises the error that `info` reports for the first matrix that failed.
inline void check_info(const Tensor& info, const char* name, bool is_matrix) {
  if (!info.is_meta()) op<"_linalg_check_errors", void>(info, name, is_matrix);
}

// ---- shapes ----

inline IntList batch_of(const Tensor& a) { return {a.sizes().data, a.dim() - 2}; }
inline Dims sizes_of_matrices(IntList batch, int64_t rows, int64_t columns) {
  Dims sizes(batch);
  sizes.push_back(rows);
  sizes.push_back(columns);
  return sizes;
}
inline Dims sizes_of_vectors(IntList batch, int64_t size) {
  Dims sizes(batch);
  sizes.push_back(size);
  return sizes;
}
// Strides of column-major matrices in a contiguous batch.
inline Dims column_major_strides(IntList sizes) {
  Dims strides = contiguous_strides(sizes);
  const int64_t n = sizes.size();
  strides[n - 2] = 1;
  strides[n - 1] = sizes[n - 2] > 1 ? sizes[n - 2] : 1;
  return strides;
}
inline void add_column_major(Specs& out, IntList sizes, Dtype dtype) { out.add_strided(sizes, column_major_strides(sizes), dtype); }
// The index in a batch of sizes `from` that corresponds to `index` in the broadcast batch `to`.
inline int64_t broadcast_index(IntList from, IntList to, int64_t index) {
  int64_t source = 0, step = 1;
  for (int64_t d = to.size() - 1, e = from.size() - 1; e >= 0; --d, --e) {
    const int64_t at = index % to[d];
    index /= to[d];
    if (from[e] != 1) source += at * step;
    step *= from[e];
  }
  return source;
}
// Whether B is one vector per matrix of A, rather than a matrix.
inline bool is_vector_equation(const Tensor& a, const Tensor& b) {
  return b.dim() == 1 || (a.dim() - 1 == b.dim() && b.sizes() == IntList(a.sizes().data, a.dim() - 1));
}

// ---- column-major copies and their memory; all run below the dispatcher ----

inline Tensor transposed(const Tensor& t) {
  Dims sizes(t.sizes()), strides(t.strides());
  const int64_t n = sizes.size();
  std::swap(sizes[n - 1], sizes[n - 2]);
  std::swap(strides[n - 1], strides[n - 2]);
  return alias(t, sizes, strides, t.storage_offset());
}
inline void copy_broadcast_into(const Tensor& target, const Tensor& source) {
  BelowAutograd guard;
  copy_into(target,
            source.sizes() == target.sizes() ? op<"resolve_conj">(source) : op<"expand">(op<"resolve_conj">(source), target.sizes()));
}
inline Tensor column_major_copy(const Tensor& t, IntList sizes, Dtype dtype) {
  Tensor out = empty_strided(sizes, column_major_strides(sizes), dtype);
  if (out.numel()) copy_broadcast_into(out, t);
  return out;
}
inline Tensor column_major_copy(const Tensor& t, IntList sizes) { return column_major_copy(t, sizes, t.dtype()); }
template <class T>
T* matrix_at(const Tensor& column_major_batch, int64_t index) {
  return static_cast<T*>(column_major_batch.data()) + index * column_major_batch.size(-1) * column_major_batch.size(-2);
}

// ---- loops ----

inline int lapack_size(int64_t n) {
  check(n <= INT_MAX, "matrices of {} rows or columns are more than LAPACK can count", n);
  return int(n);
}
// Runs f(index) for each matrix of a batch on the pool; `work` is the approximate number of operations of one.
template <class F>
void for_matrices(int64_t batch, double work, F&& f) {
  const int64_t grain = work >= 65536 ? 1 : int64_t(65536 / (work + 16));
  cpu::parallel_for(0, batch, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}
// Calls f with float, double or their std::complex.
template <class F>
void dispatch_lapack(Dtype dtype, const char* name, F&& f) {
  switch (dtype) {
    case Dtype::float32: return f(Type<float>());
    case Dtype::float64: return f(Type<double>());
    case Dtype::complex64: return f(Type<std::complex<float>>());
    case Dtype::complex128: return f(Type<std::complex<double>>());
    default: not_implemented_for(name, dtype);
  }
}
template <class T>
inline constexpr bool is_lapack_complex = !std::is_same_v<T, cpu::lapack::Real<T>>;
// The workspace size that a query returned; LAPACK returns it as an element.
template <class T>
int workspace_size(const T& answer) {
  return std::max(1, int(std::real(answer)));
}
// Whether all elements are finite: some LAPACK routines do not terminate if one is infinite or NaN.
template <class T>
bool all_finite(const T* values, int64_t n) {
  using R = cpu::lapack::Real<T>;
  const R* parts = reinterpret_cast<const R*>(values);
  R sum = 0;
  for (int64_t i = 0; i < n * int64_t(sizeof(T) / sizeof(R)); ++i) sum += parts[i] * R(0);
  return sum == 0;
}

// ---- helpers of derivative formulas ----

inline Tensor adjoint(const Tensor& t) { return conj(op<"transpose">(t, -2, -1)); }
inline Tensor as_column(const Tensor& t) { return op<"unsqueeze">(t, -1); }
inline Tensor as_row(const Tensor& t) { return op<"unsqueeze">(t, -2); }
inline Tensor diagonal_of(const Tensor& t) { return op<"diagonal">(t, 0, -2, -1); }
inline Tensor replace_diagonal(const Tensor& t, const Tensor& d) {
  const Tensor on = op<"eye.m">(t.size(-2), t.size(-1), Dtype::boolean, nullptr, t.device());
  return op<"where">(on, op<"diag_embed">(op<"to.dtype">(d, t.dtype())), t);
}
inline double machine_epsilon(Dtype dtype) { return real_of(dtype) == Dtype::float64 ? 2.220446049250313e-16 : 1.1920928955078125e-07; }

}  // namespace mt
