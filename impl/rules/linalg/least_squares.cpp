// Least squares by any of LAPACK's four drivers.
#include "rules/linalg/least_squares.h"

#include <algorithm>

namespace mt {
namespace {

// One problem's arguments and its workspace; size -1 queries the size of the workspace.
template <class T>
struct Solver {
  using R = cpu::lapack::Real<T>;
  Driver driver;
  int m, n, columns, ldb;
  R rcond;

  void run(T* a, T* b, R* values, int* exchanges, int* rank, T* work, const int* size, R* real_work, int* integers, int* code) const {
    namespace lapack = cpu::lapack;
    const char plain = 'N';
    constexpr bool complex_values = is_lapack_complex<T>;
    switch (driver) {
      case Driver::gels: lapack::gels<T>()(&plain, &m, &n, &columns, a, &m, b, &ldb, work, size, code, 1); return;
      case Driver::gelsy:
        if constexpr (complex_values)
          lapack::gelsy_complex<T>()(&m, &n, &columns, a, &m, b, &ldb, exchanges, &rcond, rank, work, size, real_work, code);
        else
          lapack::gelsy<T>()(&m, &n, &columns, a, &m, b, &ldb, exchanges, &rcond, rank, work, size, code);
        return;
      case Driver::gelsd:
        if constexpr (complex_values)
          lapack::gelsd_complex<T>()(&m, &n, &columns, a, &m, b, &ldb, values, &rcond, rank, work, size, real_work, integers, code);
        else
          lapack::gelsd<T>()(&m, &n, &columns, a, &m, b, &ldb, values, &rcond, rank, work, size, integers, code);
        return;
      case Driver::gelss:
        if constexpr (complex_values)
          lapack::gelss_complex<T>()(&m, &n, &columns, a, &m, b, &ldb, values, &rcond, rank, work, size, real_work, code);
        else
          lapack::gelss<T>()(&m, &n, &columns, a, &m, b, &ldb, values, &rcond, rank, work, size, code);
        return;
    }
  }
};

}  // namespace

void least_squares(const Tensor& a, const Tensor& b, Driver driver, double rcond, const Tensor& rank, const Tensor& values,
                   const Tensor& info) {
  dispatch_lapack(a.dtype(), "linalg_lstsq_cpu", [&]<class T>(Type<T>) {
    using R = cpu::lapack::Real<T>;
    const Solver<T> solver{driver,  lapack_size(a.size(-2)), lapack_size(a.size(-1)), lapack_size(b.size(-1)), lapack_size(b.size(-2)),
                           R(rcond)};
    const int k = std::min(solver.m, solver.n), query = -1;
    check(all_finite(static_cast<const T*>(a.data()), a.numel()) && all_finite(static_cast<const T*>(b.data()), b.numel()),
          "torch.linalg.lstsq: Argument 4 has illegal value. Most certainly there is a bug in the implementation "
          "calling the backend library.");
    T answer{};
    R real_answer[2] = {};
    int integer_answer[2] = {}, code = 0, unused = 0;
    solver.run(nullptr, nullptr, nullptr, nullptr, &unused, &answer, &query, real_answer, integer_answer, &code);
    const int size = workspace_size(answer);
    const size_t reals = std::max({size_t(std::real(real_answer[0])), 2 * size_t(solver.n), 5 * size_t(k), size_t(1)});
    const size_t integers = std::max({size_t(integer_answer[0]), size_t(solver.n), size_t(1)});
    for_matrices(info.numel(), 4.0 * solver.m * solver.n * (k + solver.columns), [&](int64_t i) {
      std::vector<T> work(static_cast<size_t>(size));
      std::vector<R> real_work(reals), no_values(size_t(k) + 1);
      std::vector<int> integer_work(integers), exchanges(size_t(solver.n) + 1);
      int found = 0;
      info.data<int>()[i] = 0;
      solver.run(matrix_at<T>(a, i), matrix_at<T>(b, i), values.numel() ? values.data<R>() + i * k : no_values.data(), exchanges.data(),
                 &found, work.data(), &size, real_work.data(), integer_work.data(), &info.data<int>()[i]);
      if (rank.numel()) rank.data<int64_t>()[i] = found;
    });
  });
}

// X = A^+ B, and the derivative of the residual is 2 (A X - B) along d(A X - B).
Tensors<2> least_squares_gradient(const Tensor& gx, const Tensor& gr, Wanted wanted, const Tensor& a, const Tensor& b, const Tensor& x) {
  Tensors<2> out;
  const bool vector = a.dim() - 1 == b.dim();
  const Tensor b2 = vector ? as_column(b) : b, x2 = vector ? as_column(x) : x;
  if (gx.defined()) {
    const Tensor g2 = vector ? as_column(gx) : gx, inverse = op<"linalg_pinv">(a);
    const Tensor gb = op<"matmul">(adjoint(inverse), g2);
    if (wanted[0]) {
      const Tensor pa = inverse, pah = adjoint(inverse), gh = op<"matmul">(b2, adjoint(g2));  // (g of A^+)^H
      const Tensor left = gh - op<"matmul">(a, op<"matmul">(pa, gh)), right = gh - op<"matmul">(op<"matmul">(gh, pa), a);
      out[0] = op<"matmul">(left, op<"matmul">(pa, pah)) + op<"matmul">(op<"matmul">(pah, pa), right) -
               op<"matmul">(pah, op<"matmul">(adjoint(gh), pah));
    }
    out[1] = vector ? op<"squeeze.dim">(gb, -1) : gb;
  }
  if (gr.defined() && gr.numel()) {
    const Tensor rest = 2 * (op<"matmul">(a, x2) - b2) * as_row(gr);
    if (wanted[0]) out[0] = sum_of_defined(out[0], op<"matmul">(rest, adjoint(x2)));
    out[1] = sum_of_defined(out[1], vector ? -op<"squeeze.dim">(rest, -1) : -rest);
  }
  return out;
}

}  // namespace mt
