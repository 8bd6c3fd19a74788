// The functions that each instruction set provides to fft.cpp: passes over complex arrays with separate real and imaginary parts.
#pragma once

#include <cstdint>

namespace mt::cpu::detail {

// A complex array as two real ones. Swapping the two makes a forward transform a backward one.
template <class T>
struct Split {
  T* re;
  T* im;
  Split swap_parts() const { return {im, re}; }
};

constexpr int largest_radix = 13;

// Lanes are rows that are transformed together: element i of lane v is at i * lanes + v.
template <class T>
struct FftKernels {
  // y[q + len (R p + k)] = w(p, k) sum over j of x[q + len (p + m j)] exp(-2 pi i j k / R), for p < m, q < len, k < R.
  // Twiddles are stored as w[p][k - 1]. `first` handles len = 1, with w[k - 1][p]; where it is missing, pass is used. Indexed
  // by radix.
  using Pass = void (*)(Split<T> x, Split<T> y, int64_t m, int64_t len, const T* w);
  Pass pass[largest_radix + 1];
  Pass first[largest_radix + 1];
  // Loads element i of lane v from rows[v] + i * step; its imaginary part is `imaginary` elements further (0: the input is real).
  void (*load)(const T* const* rows, int64_t lanes, int64_t n, int64_t step, int64_t imaginary, Split<T> x);
  void (*store)(T* const* rows, int64_t lanes, int64_t n, int64_t step, int64_t imaginary, Split<T> x, T scale);
  // x[i] *= w[i] for complex w, which all lanes share.
  void (*multiply)(Split<T> x, int64_t n, int64_t lanes, const T* w);
  // x[i] *= a[i] for complex a, with one value per lane.
  void (*multiply_lanes)(Split<T> x, int64_t n, const T* a_re, const T* a_im);
  // Converts between the transform z of n / 2 pairs of reals and the transform y of the n reals. w[k] = exp(-2 pi i k / n).
  void (*merge_real_halves)(Split<T> z, Split<T> y, int64_t half, int64_t lanes, const T* w);
  void (*split_real_halves)(Split<T> y, Split<T> z, int64_t half, int64_t lanes, const T* w);
};

#define MT_FFT_LEVEL(level)                           \
  extern const FftKernels<float> fft_##level##_float; \
  extern const FftKernels<double> fft_##level##_double;
MT_FFT_LEVEL(baseline)
MT_FFT_LEVEL(avx2)
MT_FFT_LEVEL(avx512)
#undef MT_FFT_LEVEL

}  // namespace mt::cpu::detail
