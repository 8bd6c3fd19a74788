// LAPACK functions by their Fortran names: lapack::gesdd<double>() returns a typed pointer from the BLAS loader.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

namespace mt::cpu::lapack {

using Int = int;            // every supported library has 32-bit integers
using Len = unsigned long;  // gfortran passes the length of each character argument at the end

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <class T>
using Real = typename RealOf<T>::type;

// Throws std::runtime_error with a message on how to install a LAPACK.
void* find(const char* name);

template <class T>
constexpr char type_letter() {
  if constexpr (std::is_same_v<T, float>) return 's';
  if constexpr (std::is_same_v<T, double>) return 'd';
  if constexpr (std::is_same_v<T, std::complex<float>>) return 'c';
  if constexpr (std::is_same_v<T, std::complex<double>>) return 'z';
}

namespace detail {
template <class T, class Signature>
Signature* find_typed(const char* rest) {
  char name[16] = {type_letter<T>()};
  for (int i = 0; rest[i] != 0 && i < 14; ++i) name[i + 1] = rest[i];
  return reinterpret_cast<Signature*>(find(name));
}
}  // namespace detail

// Looked up once per type; real and complex routines have different names where LAPACK's do.
#define MT_LAPACK(name, real_name, complex_name, ...)                                                                        \
  template <class T>                                                                                                         \
  auto* name() {                                                                                                             \
    using Signature = void(__VA_ARGS__);                                                                                     \
    static Signature* const found = detail::find_typed<T, Signature>(std::is_same_v<T, Real<T>> ? real_name : complex_name); \
    return found;                                                                                                            \
  }

using C = const char*;
using I = const Int*;

// Cholesky: factor, solve, inverse.
MT_LAPACK(potrf, "potrf", "potrf", C uplo, I n, T* a, I lda, Int* info, Len)
MT_LAPACK(potrs, "potrs", "potrs", C uplo, I n, I nrhs, const T* a, I lda, T* b, I ldb, Int* info, Len)
MT_LAPACK(potri, "potri", "potri", C uplo, I n, T* a, I lda, Int* info, Len)
// Triangular solvers: LAPACK's check whether the matrix is singular, BLAS's do not.
MT_LAPACK(trtrs, "trtrs", "trtrs", C uplo, C trans, C diag, I n, I nrhs, const T* a, I lda, T* b, I ldb, Int* info, Len, Len, Len)
MT_LAPACK(trsm, "trsm", "trsm", C side, C uplo, C trans, C diag, I m, I n, const T* alpha, const T* a, I lda, T* b, I ldb, Len, Len, Len,
          Len)
// LU: factor, solve, inverse.
MT_LAPACK(getrf, "getrf", "getrf", I m, I n, T* a, I lda, Int* pivots, Int* info)
MT_LAPACK(getrs, "getrs", "getrs", C trans, I n, I nrhs, const T* a, I lda, const Int* pivots, T* b, I ldb, Int* info, Len)
MT_LAPACK(getri, "getri", "getri", I n, T* a, I lda, const Int* pivots, T* work, I lwork, Int* info)
// QR.
MT_LAPACK(geqrf, "geqrf", "geqrf", I m, I n, T* a, I lda, T* tau, T* work, I lwork, Int* info)
MT_LAPACK(geqp3, "geqp3", "geqp3", I m, I n, T* a, I lda, Int* jpvt, T* tau, T* work, I lwork, Int* info)
MT_LAPACK(orgqr, "orgqr", "ungqr", I m, I n, I k, T* a, I lda, const T* tau, T* work, I lwork, Int* info)
MT_LAPACK(ormqr, "ormqr", "unmqr", C side, C trans, I m, I n, I k, const T* a, I lda, const T* tau, T* c, I ldc, T* work, I lwork,
          Int* info, Len, Len)
// LDL of symmetric and Hermitian matrices.
MT_LAPACK(sytrf, "sytrf", "sytrf", C uplo, I n, T* a, I lda, Int* pivots, T* work, I lwork, Int* info, Len)
MT_LAPACK(hetrf, "sytrf", "hetrf", C uplo, I n, T* a, I lda, Int* pivots, T* work, I lwork, Int* info, Len)
MT_LAPACK(sytrs, "sytrs", "sytrs", C uplo, I n, I nrhs, const T* a, I lda, const Int* pivots, T* b, I ldb, Int* info, Len)
MT_LAPACK(hetrs, "sytrs", "hetrs", C uplo, I n, I nrhs, const T* a, I lda, const Int* pivots, T* b, I ldb, Int* info, Len)
// Singular values. The complex routine takes an additional real work array: gesdd_complex.
MT_LAPACK(gesdd, "gesdd", "gesdd", C jobz, I m, I n, T* a, I lda, T* s, T* u, I ldu, T* vt, I ldvt, T* work, I lwork, Int* iwork, Int* info,
          Len)
MT_LAPACK(gesdd_complex, "gesdd", "gesdd", C jobz, I m, I n, T* a, I lda, Real<T>* s, T* u, I ldu, T* vt, I ldvt, T* work, I lwork,
          Real<T>* rwork, Int* iwork, Int* info, Len)
// Eigenvalues of symmetric, Hermitian and general matrices.
MT_LAPACK(syevd, "syevd", "heevd", C jobz, C uplo, I n, T* a, I lda, T* w, T* work, I lwork, Int* iwork, I liwork, Int* info, Len, Len)
MT_LAPACK(heevd, "syevd", "heevd", C jobz, C uplo, I n, T* a, I lda, Real<T>* w, T* work, I lwork, Real<T>* rwork, I lrwork, Int* iwork,
          I liwork, Int* info, Len, Len)
MT_LAPACK(geev, "geev", "geev", C jobvl, C jobvr, I n, T* a, I lda, T* wr, T* wi, T* vl, I ldvl, T* vr, I ldvr, T* work, I lwork, Int* info,
          Len, Len)
MT_LAPACK(geev_complex, "geev", "geev", C jobvl, C jobvr, I n, T* a, I lda, T* w, T* vl, I ldvl, T* vr, I ldvr, T* work, I lwork,
          Real<T>* rwork, Int* info, Len, Len)
// Least squares.
MT_LAPACK(gels, "gels", "gels", C trans, I m, I n, I nrhs, T* a, I lda, T* b, I ldb, T* work, I lwork, Int* info, Len)
MT_LAPACK(gelsd, "gelsd", "gelsd", I m, I n, I nrhs, T* a, I lda, T* b, I ldb, T* s, const T* rcond, Int* rank, T* work, I lwork,
          Int* iwork, Int* info)
MT_LAPACK(gelsd_complex, "gelsd", "gelsd", I m, I n, I nrhs, T* a, I lda, T* b, I ldb, Real<T>* s, const Real<T>* rcond, Int* rank, T* work,
          I lwork, Real<T>* rwork, Int* iwork, Int* info)
MT_LAPACK(gelsy, "gelsy", "gelsy", I m, I n, I nrhs, T* a, I lda, T* b, I ldb, Int* jpvt, const T* rcond, Int* rank, T* work, I lwork,
          Int* info)
MT_LAPACK(gelsy_complex, "gelsy", "gelsy", I m, I n, I nrhs, T* a, I lda, T* b, I ldb, Int* jpvt, const Real<T>* rcond, Int* rank, T* work,
          I lwork, Real<T>* rwork, Int* info)
MT_LAPACK(gelss, "gelss", "gelss", I m, I n, I nrhs, T* a, I lda, T* b, I ldb, T* s, const T* rcond, Int* rank, T* work, I lwork, Int* info)
MT_LAPACK(gelss_complex, "gelss", "gelss", I m, I n, I nrhs, T* a, I lda, T* b, I ldb, Real<T>* s, const Real<T>* rcond, Int* rank, T* work,
          I lwork, Real<T>* rwork, Int* info)

#undef MT_LAPACK

}  // namespace mt::cpu::lapack
