// Eigenvalues and eigenvectors of a general square matrix, by LAPACK's geev.
#include "rules/linalg/eigen.h"
#include "core/messages.h"

#include <complex>
#include <vector>

namespace mt {
namespace {

// LAPACK returns the vectors of a conjugate pair as real and imaginary parts.
template <class R>
void unpack_pairs(int64_t n, const R* imaginary, const R* packed, std::complex<R>* vectors) {
  for (int64_t j = 0; j < n; ++j) {
    const R *re = packed + j * n, *im = re + n;
    std::complex<R>*first = vectors + j * n, *second = first + n;
    if (imaginary[j] == 0 || j + 1 == n) {
      for (int64_t i = 0; i < n; ++i) first[i] = re[i];
      continue;
    }
    for (int64_t i = 0; i < n; ++i) first[i] = {re[i], im[i]}, second[i] = {re[i], -im[i]};
    ++j;
  }
}

}  // namespace

Dtype eigenvalue_dtype(Dtype dtype) {
  check(is_differentiable(dtype), messages::no_complex_dtype_for, dtype);
  return complex_of(dtype);
}

void eigen(const Tensor& a, const Tensor& values, const Tensor& vectors, const char* name) {
  const bool with_vectors = vectors.defined();
  dispatch_lapack(a.dtype(), "linalg_eig_out_cpu", [&]<class T>(Type<T>) {
    using R = cpu::lapack::Real<T>;
    using Z = std::complex<R>;
    if (a.numel() == 0) return;
    const Tensor x = column_major_copy(a, a.sizes()), info = empty(batch_of(a), Dtype::int32);
    check(all_finite(static_cast<const T*>(x.data()), x.numel()), "{}: input tensor should not contain infs or NaNs.", name);
    const char none = 'N', job = with_vectors ? 'V' : 'N';
    const int n = lapack_size(a.size(-1)), one = 1, query = -1;
    auto run = [&](T* matrix, Z* w, Z* v, T* work, const int* lwork, R* parts, T* packed, int* code) {
      if constexpr (is_lapack_complex<T>)
        cpu::lapack::geev_complex<T>()(&none, &job, &n, matrix, &n, w, nullptr, &one, v, &n, work, lwork, parts, code, 1, 1), (void)packed;
      else
        cpu::lapack::geev<T>()(&none, &job, &n, matrix, &n, parts, parts + n, nullptr, &one, packed, &n, work, lwork, code, 1, 1), (void)w,
            (void)v;
    };
    T answer{};
    R unused[2] = {};
    int code = 0;
    run(nullptr, nullptr, nullptr, &answer, &query, unused, nullptr, &code);
    const int lwork = workspace_size(answer);
    for_matrices(info.numel(), 25.0 * n * n * n, [&](int64_t i) {
      Z *w = static_cast<Z*>(values.data()) + i * n, *v = with_vectors ? matrix_at<Z>(vectors, i) : nullptr;
      std::vector<T> work(static_cast<size_t>(lwork)), packed(!is_lapack_complex<T> && with_vectors ? size_t(n) * size_t(n) : 1);
      std::vector<R> parts(2 * size_t(n));
      run(matrix_at<T>(x, i), w, v, work.data(), &lwork, parts.data(), packed.data(), &info.data<int>()[i]);
      if constexpr (!is_lapack_complex<T>) {
        for (int j = 0; j < n; ++j) w[j] = {parts[size_t(j)], parts[size_t(n + j)]};
        if (with_vectors) unpack_pairs<R>(n, parts.data() + n, packed.data(), v);
      }
    });
    check_info(info, name, a.dim() == 2);
  });
}

}  // namespace mt
