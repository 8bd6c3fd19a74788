// Singular values by LAPACK, and their derivative.
#include "rules/linalg/svd.h"

namespace mt {

void singular_values(const Tensor& a, char job, const Tensor& u, const Tensor& s, const Tensor& vh, const Tensor& info) {
  const Tensor copy = column_major_copy(a, a.sizes());
  dispatch_lapack(a.dtype(), "linalg_svd_cpu", [&]<class T>(Type<T>) {
    using R = cpu::lapack::Real<T>;
    const int m = lapack_size(a.size(-2)), n = lapack_size(a.size(-1)), k = std::min(m, n), large = std::max(m, n), query = -1;
    const int rows_vh = job == 'A' ? n : k;
    // LAPACK requires a leading dimension of at least 1, also for a matrix that is not written.
    const int ldvh = job == 'N' ? 1 : rows_vh;
    const int64_t nr = job == 'N' ? 7 * int64_t(k) : int64_t(k) * std::max(5 * k + 7, 2 * large + 2 * k + 1);
    auto run = [&](T* x, R* values, T* left, T* right, T* work, const int* size, R* real_work, int* integers, int* code) {
      if constexpr (is_lapack_complex<T>)
        cpu::lapack::gesdd_complex<T>()(&job, &m, &n, x, &m, values, left, &m, right, &ldvh, work, size, real_work, integers, code, 1);
      else
        cpu::lapack::gesdd<T>()(&job, &m, &n, x, &m, values, left, &m, right, &ldvh, work, size, integers, code, 1), (void)real_work;
    };
    T answer{};
    int code = 0;
    run(nullptr, nullptr, nullptr, nullptr, &answer, &query, nullptr, nullptr, &code);
    const int size = workspace_size(answer);
    for_matrices(info.numel(), 8.0 * m * n * k, [&](int64_t i) {
      T* x = matrix_at<T>(copy, i);
      R* values = s.data<R>() + i * k;
      info.data<int>()[i] = 0;
      T *left = job == 'N' ? nullptr : matrix_at<T>(u, i), *right = job == 'N' ? nullptr : matrix_at<T>(vh, i);
      if (!all_finite(x, int64_t(m) * n)) {
        for (int64_t j = 0; j < int64_t(m) * n; ++j)
          if (x[j] != x[j]) info.data<int>()[i] = -4;
        // If there are infinities but no NaN, torch returns NaN as singular values instead of an error.
        std::fill(values, values + k, R(__builtin_nan("")));
        if (left) std::fill(left, left + int64_t(m) * u.size(-1), T(0)), std::fill(right, right + int64_t(rows_vh) * n, T(0));
        for (int j = 0; left && j < k; ++j) left[j + int64_t(j) * m] = right[j + int64_t(j) * rows_vh] = T(1);
        return;
      }
      std::vector<T> work(static_cast<size_t>(size));
      std::vector<R> real_work(is_lapack_complex<T> ? size_t(nr) : 1);
      std::vector<int> integers(8 * size_t(k));
      run(x, values, left, right, work.data(), &size, real_work.data(), integers.data(), &info.data<int>()[i]);
    });
  });
}

void check_phases(const Tensor& diagonal, const char* text) {
  if (diagonal.is_meta() || !is_complex(diagonal.dtype())) return;
  GradMode off(false);
  const Tensor imaginary = op<"imag">(op<"detach">(diagonal));
  const bool real = op<"allclose", bool>(imaginary, op<"zeros_like">(imaginary), 1e-2, 1e-2);
  check(real, "{}", text);
}

namespace {

Tensor skew_part(const Tensor& x) { return x - adjoint(x); }

// Adds the gradient of the singular values to P's diagonal. The skew diagonals of a complex problem are imaginary: the free phase,
// attributed to U.
Tensor set_singular_diagonal(Tensor p, const Tensor& gs, const Tensor& s, const Tensor& uhgu, bool complex_values) {
  Tensor d = gs.defined() ? gs : Tensor();
  if (complex_values && uhgu.defined()) {
    const Tensor phase = (diagonal_of(uhgu) - op<"real">(diagonal_of(uhgu))) / s;
    d = sum_of_defined(d, phase);
    p = replace_diagonal(p, op<"zeros_like">(phase));
  } else if (complex_values) {
    p = replace_diagonal(p, op<"zeros_like">(diagonal_of(p)));
  }
  return d.defined() ? p + op<"diag_embed">(op<"to.dtype">(d, p.dtype())) : p;
}

}  // namespace

// With X = U^H dU, Y = V^H dV (both skew-Hermitian) and P = U^H dA V: P = X S + dS - S Y, so that dS is the real diagonal of P, and
// X, Y follow from P S + S P^H and S P + P^H S divided by the differences of squares. Giles, "Collected matrix derivative results",
// 2008.
Tensor svd_gradient(const Tensor& gu0, const Tensor& gs, const Tensor& gvh0, const Tensor& u0, const Tensor& s, const Tensor& vh0,
                    bool full) {
  if (!gu0.defined() && !gs.defined() && !gvh0.defined()) return Tensor();
  check(u0.dim() >= 2 && vh0.dim() >= 2,
        "The derivative of the singular values depends on the vectors, which are not computed when compute_uv=False.");
  const int64_t m = u0.size(-2), n = vh0.size(-1), k = s.size(-1);
  auto columns = [&](const Tensor& t) { return full && t.defined() ? op<"narrow">(t, -1, 0, k) : t; };
  auto rows = [&](const Tensor& t) { return full && t.defined() ? op<"narrow">(t, -2, 0, k) : t; };
  const Tensor u = columns(u0), vh = rows(vh0), gu = columns(gu0), gvh = rows(gvh0);
  if (!gu.defined() && !gvh.defined()) return m >= n ? op<"matmul">(u, as_column(gs) * vh) : op<"matmul">(u * as_row(gs), vh);
  const Tensor uhgu = gu.defined() ? op<"matmul">(adjoint(u), gu) : Tensor(),
               vhgv = gvh.defined() ? op<"matmul">(vh, adjoint(gvh)) : Tensor();
  const bool complex_values = is_complex(u.dtype());
  if (complex_values)
    check_phases(sum_of_defined(gu.defined() ? diagonal_of(uhgu) : Tensor(), gvh.defined() ? diagonal_of(vhgv) : Tensor()),
                 "svd_backward: The singular vectors in the complex case are specified up to multiplication by e^{i "
                 "phi}. The specified loss function "
                 "depends on this phase term, making it ill-defined.");
  const Tensor squares = s * s;
  Tensor gaps = as_row(squares) - as_column(squares);
  gaps = replace_diagonal(gaps, op<"ones_like">(s));
  Tensor p;
  if (gu.defined()) p = skew_part(uhgu) / gaps * as_row(s);
  if (gvh.defined()) p = sum_of_defined(p, as_column(s) * (skew_part(vhgv) / gaps));
  p = set_singular_diagonal(p, gs, s, uhgu, complex_values);
  Tensor g = op<"matmul">(op<"matmul">(u, p), vh);
  if (m > k && gu.defined()) g = g + op<"matmul">((gu - op<"matmul">(u, uhgu)) / as_row(s), vh);
  if (n > k && gvh.defined()) g = g + op<"matmul">(u, (gvh - op<"matmul">(op<"matmul">(gvh, adjoint(vh)), vh)) / as_column(s));
  return g;
}

}  // namespace mt
