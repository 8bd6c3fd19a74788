// Shared by Fourier transforms: layouts, arguments, and the functions of torch.fft in terms of three operators.
#include "rules/fft/fft.h"

#include <algorithm>
#include <cmath>

#include "core/dispatch_dtype.h"
#include "core/messages.h"
#include "core/options.h"
#include "cpu/fft/fft.h"

namespace mt {

// ---- for the three operators ----

double fft_scale(int64_t norm, IntList sizes, IntList dims) {
  if (FftNorm(norm) == FftNorm::none) return 1;
  double n = 1;
  for (int64_t d : dims) n *= double(sizes[d]);
  return FftNorm(norm) == FftNorm::by_root_n ? 1 / std::sqrt(n) : 1 / n;
}

Dims fft_order(IntList strides, IntList dims) {
  Dims order(dims);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return strides[a] > strides[b]; });
  return order;
}

Dims fft_result_strides(IntList sizes, IntList input_strides, IntList dims) {
  Dims batch;
  for (int64_t d = 0; d < sizes.size(); ++d)
    if (std::find(dims.begin(), dims.end(), d) == dims.end()) batch.push_back(d);
  Dims order = fft_order(input_strides, batch), strides(sizes.size());
  for (int64_t d : dims) order.push_back(d);
  int64_t step = 1;
  for (int64_t i = order.size() - 1; i >= 0; --i) {
    strides[order[i]] = step;
    step = int64_t(uint64_t(step) * uint64_t(std::max<int64_t>(sizes[order[i]], 1)));  // empty() refuses sizes that overflow
  }
  return strides;
}

void fft_along(FftKind kind, const Tensor& in, const Tensor& out, int64_t dim, int64_t n, bool forward, double scale) {
  Dims sizes(in.sizes()), from(in.strides()), to(out.strides());
  if (is_complex(in.dtype()))
    for (int64_t& s : from) s *= 2;
  if (is_complex(out.dtype()))
    for (int64_t& s : to) s *= 2;
  const int64_t in_step = from[dim], out_step = to[dim];
  for (Dims* d : {&sizes, &from, &to}) d->erase(dim);
  auto run = [&]<class T>(Type<T>) {
    const cpu::FftRows<T> rows{sizes, static_cast<const T*>(in.data()), from, in_step, static_cast<T*>(out.data()), to, out_step};
    switch (kind) {
      case FftKind::complex: return cpu::fft_complex<T>(rows, n, forward, T(scale));
      case FftKind::real: return cpu::fft_real<T>(rows, n, T(scale));
      case FftKind::hermitian: return cpu::fft_hermitian<T>(rows, n, T(scale));
    }
  };
  if (out.numel() == 0) return;
  if (real_of(in.dtype()) == Dtype::float32)
    run(Type<float>());
  else
    run(Type<double>());
}

// ---- for the functions of torch.fft ----

namespace {

int64_t norm_code(FftNormName norm, bool forward) {
  const std::string_view name = norm ? std::string_view(norm->data, size_t(norm->size)) : "backward";
  if (name == "backward") return int64_t(forward ? FftNorm::none : FftNorm::by_n);
  if (name == "forward") return int64_t(forward ? FftNorm::by_n : FftNorm::none);
  if (name == "ortho") return int64_t(FftNorm::by_root_n);
  fail("Invalid normalization mode: \"{}\"", std::string(name));
}

Tensor promote_input(const Tensor& self, bool require_complex) {
  Dtype dtype = self.dtype();
  if (!is_complex(dtype)) {
    if (!is_floating(dtype)) dtype = default_dtype();
    check(dtype == Dtype::float32 || dtype == Dtype::float64, "Unsupported dtype {}", dtype);
    if (require_complex) dtype = complex_of(dtype);
  }
  return dtype == self.dtype() ? self : op<"to.dtype">(self, dtype);
}

int64_t fft_dim(const Tensor& self, int64_t dim) {
  check(self.dim() > 0, ErrorKind::index, messages::dim_of_scalar_tensor, dim);
  return wrap_dim(dim, self.dim());
}
void check_points(int64_t n) { check(n >= 1, messages::invalid_number_of_data_points, n); }
void check_out(const char* name, const Tensor& out, bool complex) {
  if (!out.defined()) return;
  if (complex)
    check(is_complex(out.dtype()), "{} expects a complex output tensor, but got {}", name, out.dtype());
  else
    check(is_floating(out.dtype()), "{} expects a floating point output tensor, but got {}", name, out.dtype());
}

// Crops or zero-pads to `sizes` along `dims`.
Tensor resize_dims(Tensor self, IntList dims, IntList sizes) {
  Dims pad(2 * self.dim());
  bool pads = false;
  for (int64_t i = 0; i < dims.size(); ++i) {
    const int64_t d = dims[i], have = self.size(d);
    if (have < sizes[i]) {
      pad[2 * (self.dim() - 1 - d) + 1] = sizes[i] - have;
      pads = true;
    } else if (have > sizes[i]) {
      self = op<"slice.Tensor">(self, d, 0, sizes[i]);
    }
  }
  return pads ? op<"constant_pad_nd">(self, IntList(pad), 0) : self;
}

Tensor call_c2c(const Tensor& self, IntList dims, int64_t norm, bool forward, const Tensor& out) {
  return out.defined() ? op<"_fft_c2c.out">(self, dims, norm, forward, out) : op<"_fft_c2c">(self, dims, norm, forward);
}
Tensor call_r2c(const Tensor& self, IntList dims, int64_t norm, bool onesided, const Tensor& out) {
  return out.defined() ? op<"_fft_r2c.out">(self, dims, norm, onesided, out) : op<"_fft_r2c">(self, dims, norm, onesided);
}
Tensor call_c2r(const Tensor& self, IntList dims, int64_t norm, int64_t size, const Tensor& out) {
  return out.defined() ? op<"_fft_c2r.out">(self, dims, norm, size, out) : op<"_fft_c2r">(self, dims, norm, size);
}
Tensor conjugate_into(const Tensor& result, const Tensor& out) {
  if (!out.defined()) return op<"conj">(result);
  if (out.dtype() == result.dtype() && out.device() == result.device() && resize_output(out, result.sizes()))
    set_geometry(*out, result.sizes(), result.strides(), out.storage_offset());
  return op<"conj_physical.out">(result, out);
}

struct FftArguments {
  Dims dims, sizes;
};
FftArguments arguments_of(const Tensor& self, FftSizes s, FftSizes dim) {
  FftArguments a;
  if (dim) {
    for (int64_t d : *dim) {
      const int64_t wrapped = fft_dim(self, d);
      check(std::find(a.dims.begin(), a.dims.end(), wrapped) == a.dims.end(), "FFT dims must be unique");
      a.dims.push_back(wrapped);
    }
  }
  if (s) {
    check(!dim || dim->size() == s->size(), "When given, dim and shape arguments must have the same length");
    check(s->size() <= self.dim(), "Got shape with {} values but input tensor only has {} dimensions.", s->size(), self.dim());
    if (!dim)
      for (int64_t d = self.dim() - s->size(); d < self.dim(); ++d) a.dims.push_back(d);
    for (int64_t i = 0; i < s->size(); ++i) a.sizes.push_back((*s)[i] == -1 ? self.size(a.dims[i]) : (*s)[i]);
  } else {
    if (!dim)
      for (int64_t d = 0; d < self.dim(); ++d) a.dims.push_back(d);
    for (int64_t d : a.dims) a.sizes.push_back(self.size(d));
  }
  for (int64_t n : a.sizes) check_points(n);
  return a;
}
// For a transform to real numbers: the last size is that of the given half; returns the result's size.
int64_t halve_last_size(const char* name, const Tensor& self, FftSizes s, FftArguments& a) {
  check(!a.dims.empty(), "{} must transform at least one axis", name);
  const bool named = s && s->back() != -1;
  const int64_t last = named ? a.sizes.back() : 2 * (self.size(a.dims.back()) - 1);
  check_points(last);
  a.sizes.back() = last / 2 + 1;
  return last;
}
IntList all_but_last(const Dims& dims) { return IntList(dims.data(), dims.size() - 1); }
IntList only_last(const Dims& dims) { return IntList(dims.data() + dims.size() - 1, 1); }

}  // namespace

Tensor fft_c2c(const char* name, const Tensor& self, FftSize n, int64_t dim, FftNormName norm, bool forward, const Tensor& out) {
  check(is_complex(self.dtype()), "{} expects a complex input tensor, but got {}", name, self.dtype());
  check_out(name, out, true);
  Dims d{fft_dim(self, dim)};
  const int64_t size = n ? *n : self.size(d[0]);
  check_points(size);
  const Tensor x = n ? resize_dims(self, d, IntList{size}) : self;
  return call_c2c(x, d, norm_code(norm, forward), forward, out);
}

Tensor fft_r2c(const char* name, const Tensor& self, FftSize n, int64_t dim, FftNormName norm, bool forward, bool onesided,
               const Tensor& out) {
  check(!is_complex(self.dtype()), "{} expects a real input tensor, but got {}", name, self.dtype());
  check_out(name, out, true);
  Tensor x = promote_input(self, false);
  Dims d{fft_dim(x, dim)};
  const int64_t size = n ? *n : x.size(d[0]);
  check_points(size);
  if (n) x = resize_dims(x, d, IntList{size});
  // The backward transform of real numbers is the conjugate of the forward one.
  const Tensor y = call_r2c(x, d, norm_code(norm, forward), onesided, forward ? out : Tensor());
  return forward ? y : conjugate_into(y, out);
}

Tensor fft_c2r(const char* name, const Tensor& self, FftSize n, int64_t dim, FftNormName norm, bool forward, const Tensor& out) {
  check_out(name, out, false);
  Tensor x = promote_input(self, true);
  Dims d{fft_dim(x, dim)};
  const int64_t size = n ? *n : 2 * (x.size(d[0]) - 1);
  check_points(size);
  if (n) x = resize_dims(x, d, IntList{size / 2 + 1});
  return call_c2r(forward ? op<"conj">(x) : x, d, norm_code(norm, forward), size, out);
}

Tensor fft_n_c2c(const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm, bool forward, const Tensor& out) {
  const FftArguments a = arguments_of(self, s, dim);
  const Tensor x = promote_input(self, true);
  check_out("fftn", out, true);
  return call_c2c(resize_dims(x, a.dims, a.sizes), a.dims, norm_code(norm, forward), forward, out);
}

Tensor fft_n_rfft(const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm, const Tensor& out) {
  check(!is_complex(self.dtype()), "rfftn expects a real-valued input tensor, but got {}", self.dtype());
  check_out("rfftn", out, true);
  const FftArguments a = arguments_of(self, s, dim);
  check(!a.sizes.empty(), "rfftn must transform at least one axis");
  return call_r2c(resize_dims(promote_input(self, false), a.dims, a.sizes), a.dims, norm_code(norm, true), true, out);
}

Tensor fft_n_irfft(const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm, const Tensor& out) {
  FftArguments a = arguments_of(self, s, dim);
  const int64_t last = halve_last_size("irfftn", self, s, a);
  const Tensor x = promote_input(self, true);
  check_out("irfftn", out, false);
  return call_c2r(resize_dims(x, a.dims, a.sizes), a.dims, norm_code(norm, false), last, out);
}

Tensor fft_n_hfft(const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm, const Tensor& out) {
  FftArguments a = arguments_of(self, s, dim);
  const int64_t last = halve_last_size("hfftn", self, s, a);
  Tensor x = promote_input(self, true);
  check_out("hfftn", out, false);
  x = resize_dims(x, a.dims, a.sizes);
  const int64_t code = norm_code(norm, true);
  if (a.dims.size() > 1) x = op<"_fft_c2c">(x, all_but_last(a.dims), code, true);
  return call_c2r(op<"conj">(x), only_last(a.dims), code, last, out);
}

Tensor fft_n_ihfft(const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm, const Tensor& out) {
  const FftArguments a = arguments_of(self, s, dim);
  check(!a.sizes.empty(), "ihfftn must transform at least one axis");
  check_out("ihfftn", out, true);
  const Tensor x = resize_dims(promote_input(self, false), a.dims, a.sizes);
  const int64_t code = norm_code(norm, false);
  const Tensor y = op<"_fft_r2c">(x, only_last(a.dims), code, true);
  if (a.dims.size() == 1) return conjugate_into(y, out);
  return call_c2c(op<"conj_physical">(y), all_but_last(a.dims), code, false, out);
}

Tensor fft_shift(const Tensor& self, FftSizes dim, int64_t round_up) {
  Dims dims, shifts;
  if (dim) {
    for (int64_t d : *dim) dims.push_back(wrap_dim(d, self.dim()));
  } else {
    for (int64_t d = 0; d < self.dim(); ++d) dims.push_back(d);
  }
  for (int64_t d : dims) shifts.push_back((self.size(d) + round_up) / 2);
  return op<"roll">(self, IntList(shifts), IntList(dims));
}

}  // namespace mt
