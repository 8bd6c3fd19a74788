// The BLAS library of this process: found at run time, loaded privately, serial. Only gemm and lapack call it.
#pragma once

#include <complex>
#include <cstdint>

namespace mt::cpu {

// Folders to look in for libscipy_openblas.so or libopenblas.so.0 before the system's own; separated by ':'. Call it
// before the first product. MINDTORCH_BLAS=<file>|none goes before all.
void set_blas_search_path(const char* folders);

// For people: "OpenBLAS 0.3.21, SkylakeX kernels, /usr/lib/.../libopenblas.so.0" or "none (own kernels only)".
const char* blas_description();
bool has_blas();

// The address of a Fortran routine such as "dgesdd", with whatever prefix or suffix the library has; nullptr if absent.
void* blas_symbol(const char* name);

// Column-major C = alpha * op(A) * op(B) + beta * C; op codes 'N', 'T', 'C'. False if there is no BLAS.
bool blas_gemm(char op_a, char op_b, int m, int n, int k, float alpha, const float* a, int lda, const float* b, int ldb,
               float beta, float* c, int ldc);
bool blas_gemm(char op_a, char op_b, int m, int n, int k, double alpha, const double* a, int lda, const double* b,
               int ldb, double beta, double* c, int ldc);
bool blas_gemm(char op_a, char op_b, int m, int n, int k, std::complex<float> alpha, const std::complex<float>* a,
               int lda, const std::complex<float>* b, int ldb, std::complex<float> beta, std::complex<float>* c,
               int ldc);
bool blas_gemm(char op_a, char op_b, int m, int n, int k, std::complex<double> alpha, const std::complex<double>* a,
               int lda, const std::complex<double>* b, int ldb, std::complex<double> beta, std::complex<double>* c,
               int ldc);

}  // namespace mt::cpu
