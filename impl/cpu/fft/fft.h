// Fourier transforms of any length along one dimension of a strided array. Lengths whose
// prime factors are at most 13 use mixed-radix passes (Stockham's self-sorting form),
// vectorised over rows or within a row; long rows are split into two shorter transforms each
// (D. Bailey, 1990); other lengths become convolutions (L. Bluestein, 1970). Plans are
// cached. Only the size decides how rows are split, so any number of threads gives the same
// bits.
#pragma once

#include "core/list.h"

namespace mt::cpu {

// The rows to transform: one for each index of `sizes`, the dimensions that are not transformed. Strides and steps (between neighbours
// along the transformed dimension) count numbers of type T; a complex element is two of them. Input and output may be the same memory
// with the same strides; otherwise they must not overlap.
template <class T>
struct FftRows {
  IntList sizes;
  const T* in;
  IntList in_strides;
  int64_t in_step;
  T* out;
  IntList out_strides;
  int64_t out_step;
};

// n complex numbers to n: scale * sum of x[j] exp(-+2 pi i j k / n), with minus if `forward`.
template <class T>
void fft_complex(const FftRows<T>& rows, int64_t n, bool forward, T scale);
// n real numbers to the first n / 2 + 1 elements of their forward transform.
template <class T>
void fft_real(const FftRows<T>& rows, int64_t n, T scale);
// n / 2 + 1 complex numbers, the half of a Hermitian sequence, to the n real numbers of its backward transform. The imaginary parts of
// the first element and, for even n, of the last are ignored.
template <class T>
void fft_hermitian(const FftRows<T>& rows, int64_t n, T scale);

struct FftCacheStatistics {
  int64_t plans;
  int64_t bytes;
  int64_t limit_bytes;
};
FftCacheStatistics fft_cache_statistics();

}  // namespace mt::cpu
