// LU factorisation of batches of matrices: by small loops of our own, or by LAPACK.
#include "rules/linalg/lu.h"

#include "rules/reduction/rows.h"

namespace mt {
namespace {

// Up to this order a plain loop is faster than LAPACK with its blocking and setup.
constexpr int64_t small_order = 24;

template <class T>
struct LoopTypeOf {
  using type = T;
};
template <class R>
struct LoopTypeOf<std::complex<R>> {
  using type = Complex<R>;
};
template <class T>
using LoopType = typename LoopTypeOf<T>::type;

template <class T>
auto pivot_magnitude(T a) {
  if constexpr (is_complex_type<T>)
    return __builtin_fabs(a.re) + __builtin_fabs(a.im);
  else
    return __builtin_fabs(a);
}
template <class T>
T conjugate_if(T a, bool conjugated) {
  if constexpr (is_complex_type<T>)
    return conjugated ? conj_(a) : a;
  else
    return a;
}

// The loops below are members of structs, so that row_clone (rules/reduction/rows.h) can compile each for every instruction set.
struct FactorSmall {
  template <class T>
  [[gnu::always_inline]] static inline void run(int64_t m, int64_t n, T* a, int* pivots, int* info_out) {
    int info = 0;
    const int64_t k = std::min(m, n);
    for (int64_t j = 0; j < k; ++j) {
      T* column = a + j * m;
      int64_t p = j;
      for (int64_t i = j + 1; i < m; ++i)
        if (pivot_magnitude(column[i]) > pivot_magnitude(column[p])) p = i;
      pivots[j] = int(p + 1);
      const T pivot = column[p];
      if (pivot == T(0)) {
        if (!info) info = int(j + 1);
        continue;
      }
      if (p != j)
        for (int64_t c = 0; c < n; ++c) std::swap(a[j + c * m], a[p + c * m]);
      for (int64_t i = j + 1; i < m; ++i) column[i] = column[i] / pivot;
      for (int64_t c = j + 1; c < n; ++c) {
        T* other = a + c * m;
        const T factor = other[j];
        for (int64_t i = j + 1; i < m; ++i) other[i] -= column[i] * factor;
      }
    }
    *info_out = info;
  }
};
// LAPACK's getri without blocking: U^-1 in place, then X with X L = U^-1, from the last column to the first.
struct InvertSmall {
  template <class T>
  [[gnu::always_inline]] static inline void run(int64_t n, T* factors_then_inverse, const int* pivots) {
    for (int64_t j = 0; j < n; ++j) {
      T* x = factors_then_inverse + j * n;
      x[j] = T(1) / x[j];
      for (int64_t k = 0; k < j; ++k) {
        const T* u = factors_then_inverse + k * n;
        const T factor = x[k];
        for (int64_t i = 0; i < k; ++i) x[i] += factor * u[i];
        x[k] = factor * u[k];
      }
      for (int64_t i = 0; i < j; ++i) x[i] = -(x[i] * x[j]);
    }
    T lower[small_order];
    for (int64_t j = n - 2; j >= 0; --j) {
      T* x = factors_then_inverse + j * n;
      for (int64_t i = j + 1; i < n; ++i) lower[i] = x[i], x[i] = T(0);
      for (int64_t k = j + 1; k < n; ++k) {
        const T* other = factors_then_inverse + k * n;
        const T factor = lower[k];
        for (int64_t i = 0; i < n; ++i) x[i] -= other[i] * factor;
      }
    }
    for (int64_t j = n - 1; j >= 0; --j)
      if (const int64_t p = pivots[j] - 1; p != j)
        for (int64_t i = 0; i < n; ++i) std::swap(factors_then_inverse[i + j * n], factors_then_inverse[i + p * n]);
  }
};

template <class T>
void exchange_rows(int64_t n, const int* pivots, T* x, bool backwards) {
  for (int64_t s = 0; s < n; ++s) {
    const int64_t j = backwards ? n - 1 - s : s;
    if (pivots[j] - 1 != j) std::swap(x[j], x[pivots[j] - 1]);
  }
}
struct SolveSmall {
  template <class T>
  [[gnu::always_inline]] static inline void run(int64_t n, const T* factors, const int* pivots, T* right_side, char mode) {
    if (mode == 'N') {
      exchange_rows(n, pivots, right_side, false);
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j + 1; i < n; ++i) right_side[i] -= factors[i + j * n] * right_side[j];
      for (int64_t j = n - 1; j >= 0; --j) {
        right_side[j] = right_side[j] / factors[j + j * n];
        for (int64_t i = 0; i < j; ++i) right_side[i] -= factors[i + j * n] * right_side[j];
      }
      return;
    }
    const bool c = mode == 'C';
    for (int64_t j = 0; j < n; ++j) {
      T sum = right_side[j];
      for (int64_t i = 0; i < j; ++i) sum -= conjugate_if(factors[i + j * n], c) * right_side[i];
      right_side[j] = sum / conjugate_if(factors[j + j * n], c);
    }
    for (int64_t j = n - 1; j >= 0; --j) {
      T sum = right_side[j];
      for (int64_t i = j + 1; i < n; ++i) sum -= conjugate_if(factors[i + j * n], c) * right_side[i];
      right_side[j] = sum;
    }
    exchange_rows(n, pivots, right_side, true);
  }
};

}  // namespace

void lu_factor_in_place(const Tensor& lu, const Tensor& pivots, const Tensor& info) {
  const int64_t rows = lu.size(-2), columns = lu.size(-1), k = std::min(rows, columns), batch = info.numel();
  int* const infos = info.data<int>();
  if (lu.numel() == 0) {
    for (int64_t i = 0; i < batch; ++i) infos[i] = 0;
    return;
  }
  dispatch_lapack(lu.dtype(), "lu_cpu", [&]<class T>(Type<T>) {
    using L = LoopType<T>;
    const int m = lapack_size(rows), n = lapack_size(columns);
    const auto factor = row_clone<FactorSmall>(static_cast<void (*)(int64_t, int64_t, L*, int*, int*)>(&FactorSmall::run<L>));
    for_matrices(batch, double(rows) * double(columns) * double(k), [&](int64_t i) {
      T* a = matrix_at<T>(lu, i);
      int* p = pivots.data<int>() + i * k;
      if (k <= small_order && std::max(rows, columns) <= 4 * small_order)
        factor(rows, columns, reinterpret_cast<L*>(a), p, &infos[i]);
      else
        cpu::lapack::getrf<T>()(&m, &n, a, &m, p, &infos[i]);
    });
  });
}

void lu_solve_in_place(const Tensor& lu, const Tensor& pivots, const Tensor& b, char mode) {
  if (b.numel() == 0) return;
  const int64_t order = lu.size(-1), width = b.size(-1), batch = product(batch_of(b));
  dispatch_lapack(lu.dtype(), "linalg.lu_solve_cpu", [&]<class T>(Type<T>) {
    using L = LoopType<T>;
    const int n = lapack_size(order), columns = lapack_size(width);
    const auto solve = row_clone<SolveSmall>(static_cast<void (*)(int64_t, const L*, const int*, L*, char)>(&SolveSmall::run<L>));
    for_matrices(batch, 2.0 * double(order) * double(order) * double(width), [&](int64_t i) {
      const int64_t source = broadcast_index(batch_of(lu), batch_of(b), i);
      const T* a = matrix_at<T>(lu, source);
      const int* p = pivots.data<int>() + source * order;
      T* x = matrix_at<T>(b, i);
      if (order <= small_order) {
        for (int64_t c = 0; c < width; ++c) solve(order, reinterpret_cast<const L*>(a), p, reinterpret_cast<L*>(x) + c * order, mode);
        return;
      }
      int info = 0;
      cpu::lapack::getrs<T>()(&mode, &n, &columns, a, &n, p, x, &n, &info, 1);
    });
  });
}

bool lu_invert_in_place(const Tensor& lu, const Tensor& pivots, const Tensor& info) {
  const int64_t order = lu.size(-1), batch = info.numel();
  for (int64_t i = 0; i < batch; ++i)
    if (info.data<int>()[i] != 0) return false;
  if (lu.numel() == 0) return true;
  dispatch_lapack(lu.dtype(), "lu_cpu", [&]<class T>(Type<T>) {
    using L = LoopType<T>;
    const auto invert = row_clone<InvertSmall>(static_cast<void (*)(int64_t, L*, const int*)>(&InvertSmall::run<L>));
    const int n = lapack_size(order), query = -1;
    T answer{};
    int code = 0;
    if (order > small_order) cpu::lapack::getri<T>()(&n, nullptr, &n, nullptr, &answer, &query, &code);
    const int size = workspace_size(answer);
    for_matrices(batch, 2.0 * double(order) * double(order) * double(order), [&](int64_t i) {
      const int* p = pivots.data<int>() + i * order;
      if (order <= small_order) return invert(order, reinterpret_cast<L*>(matrix_at<T>(lu, i)), p);
      std::vector<T> work(static_cast<size_t>(size));
      int info_of_one = 0;
      cpu::lapack::getri<T>()(&n, matrix_at<T>(lu, i), &n, p, work.data(), &size, &info_of_one);
    });
  });
  return true;
}

int pivot_sign(const int* pivots, int64_t n) {
  int sign = 1;
  for (int64_t i = 0; i < n; ++i)
    if (pivots[i] != i + 1) sign = -sign;
  return sign;
}

// With M = L^-1 P^T dA U^-1 on the leading square: L^-1 dL is its strict lower triangle, dU U^-1 its upper one. The part of a wide or
// tall matrix beyond the square follows from P^T dA2 = dL U2 + L dU2 and its transpose.
Tensor lu_gradient(const Tensor& gl, const Tensor& gu, const Tensor& p, const Tensor& l, const Tensor& u) {
  if (!gl.defined() && !gu.defined()) return Tensor();
  const int64_t m = l.size(-2), n = u.size(-1), k = std::min(m, n);
  auto rows = [&](const Tensor& t, int64_t from, int64_t count) { return t.defined() ? op<"narrow">(t, -2, from, count) : t; };
  auto columns = [&](const Tensor& t, int64_t from, int64_t count) { return t.defined() ? op<"narrow">(t, -1, from, count) : t; };
  auto solve_l = [](const Tensor& lower, const Tensor& t) { return op<"linalg_solve_triangular">(adjoint(lower), t, true, true, true); };
  auto solve_u = [](const Tensor& upper, const Tensor& t) { return op<"linalg_solve_triangular">(adjoint(upper), t, false, false, false); };
  const Tensor l1 = rows(l, 0, k), u1 = columns(u, 0, k);
  Tensor lower, upper;  // the gradients of M's triangles
  if (gl.defined()) lower = op<"matmul">(adjoint(l1), rows(gl, 0, k));
  if (gu.defined()) upper = op<"matmul">(columns(gu, 0, k), adjoint(u1));
  if (n > k && gu.defined()) {
    const Tensor t = -op<"matmul">(columns(gu, k, n - k), adjoint(columns(u, k, n - k)));
    lower = sum_of_defined(lower, t);
  }
  if (m > k && gl.defined()) {
    const Tensor t = -op<"matmul">(adjoint(rows(l, k, m - k)), rows(gl, k, m - k));
    upper = sum_of_defined(upper, t);
  }
  Tensor both;
  if (lower.defined()) both = op<"tril">(lower, -1);
  if (upper.defined()) both = sum_of_defined(both, op<"triu">(upper));
  Tensor a = solve_u(u1, solve_l(l1, both));
  if (n > k) {
    const Tensor rest = gu.defined() ? solve_l(l1, columns(gu, k, n - k)) : op<"zeros_like">(columns(u, k, n - k));
    a = op<"cat">(std::vector<Tensor>{a, rest}, -1);
  } else if (m > k) {
    const Tensor rest = gl.defined() ? solve_u(u1, rows(gl, k, m - k)) : op<"zeros_like">(rows(l, k, m - k));
    a = op<"cat">(std::vector<Tensor>{a, rest}, -2);
  }
  return p.defined() ? op<"matmul">(p, a) : a;
}

Tensor solve_adjoint(const Tensor& a, const Tensor& lu, const Tensor& pivots, const Tensor& b, bool left) {
  if (thread_state.grad_mode && a.defined()) return op<"linalg_solve">(adjoint(a), b, left);
  return op<"linalg_lu_solve">(lu, pivots, b, left, true);
}

}  // namespace mt
