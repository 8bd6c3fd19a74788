// The family of Fourier transforms: how torch.fft's functions call _fft_c2c, _fft_r2c and _fft_c2r.
#pragma once

#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {

// ---- for the three operators that transform ----

// The factor of a result: 1, 1 / sqrt(n) or 1 / n for the n elements of `dims`.
enum class FftNorm : int64_t { none, by_root_n, by_n };
double fft_scale(int64_t norm, IntList sizes, IntList dims);
// `dims` by descending strides: the memory order of a result with several transformed dimensions.
Dims fft_order(IntList strides, IntList dims);
// Strides of a result: transformed dimensions innermost in the given order, the others outside in the input's order.
Dims fft_result_strides(IntList sizes, IntList input_strides, IntList dims);
enum class FftKind : int8_t { complex, real, hermitian };
// Transforms one dimension of `n` points; `out` may be `in` for complex data.
void fft_along(FftKind kind, const Tensor& in, const Tensor& out, int64_t dim, int64_t n, bool forward, double scale);

// ---- for torch.fft's functions; `out` is undefined in the functional form ----

using FftSize = std::optional<int64_t>;
using FftSizes = std::optional<IntList>;
using FftNormName = std::optional<Text>;

// Transforms along one dimension. `name` is the function's name in error messages.
Tensor fft_c2c(const char* name, const Tensor& self, FftSize n, int64_t dim, FftNormName norm, bool forward, const Tensor& out = {});
Tensor fft_r2c(const char* name, const Tensor& self, FftSize n, int64_t dim, FftNormName norm, bool forward, bool onesided,
               const Tensor& out = {});
Tensor fft_c2r(const char* name, const Tensor& self, FftSize n, int64_t dim, FftNormName norm, bool forward, const Tensor& out = {});
// Transforms along several dimensions; without `dim`, along all or, if `s` is given, along the last ones, one for each size.
Tensor fft_n_c2c(const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm, bool forward, const Tensor& out = {});
Tensor fft_n_rfft(const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm, const Tensor& out = {});
Tensor fft_n_irfft(const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm, const Tensor& out = {});
Tensor fft_n_hfft(const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm, const Tensor& out = {});
Tensor fft_n_ihfft(const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm, const Tensor& out = {});

// Rolls each dimension by half its size: by size / 2 (fftshift) or (size + 1) / 2 (ifftshift).
Tensor fft_shift(const Tensor& self, FftSizes dim, int64_t round_up);

}  // namespace mt
