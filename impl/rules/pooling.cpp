// Checks and sizes of poolings.
#include "rules/pooling.h"

namespace mt {
namespace {

const char* count_word(int64_t n) { return n == 2 ? "two" : "three"; }

Dims filled(IntList values, int64_t n) { return values.size() == 1 ? Dims(n, values[0]) : Dims(values); }

// The number of results along one dimension.
int64_t pooled_size(int64_t in, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation, bool ceil_mode) {
  check(stride != 0, "stride should not be zero");
  check(pad >= 0, "pad must be non-negative, but got pad: {}", pad);
  // Unsigned, so that absurd sizes wrap.
  const int64_t reach = int64_t(uint64_t(dilation) * uint64_t(kernel - 1) + 1);
  check(pad <= reach / 2,
        "pad should be at most half of effective kernel size, but got pad={}, kernel_size={} and dilation={}", pad,
        kernel, dilation);
  const int64_t room = int64_t(uint64_t(in) + 2 * uint64_t(pad) - uint64_t(reach) + uint64_t(ceil_mode ? stride - 1 : 0));
  if (stride < 0 || kernel <= 0) return 0;  // refused by the caller, with its own words
  int64_t out = (room >= 0 ? room / stride : -((stride - 1 - room) / stride)) + 1;
  // The last window must begin inside the image or its left padding.
  if (ceil_mode && out > 0 && uint64_t(out - 1) * uint64_t(stride) >= uint64_t(in) + uint64_t(pad)) --out;
  return out;
}

}  // namespace

Window pool_window(const char* name, int64_t n, IntList kernel, IntList stride, IntList padding, IntList dilation, bool ceil_mode) {
  const bool averages = name[0] == 'a';
  const char* either = averages && n == 3 ? "be" : "either be";
  const auto fits = [&](IntList l) { return l.size() == 1 || l.size() == n; };
  const auto narrow = [](IntList l) {
    for (int64_t v : l) check(v == int32_t(v), "value cannot be converted to type int without overflow");
  };
  check(fits(kernel), "{}: kernel_size must {} a single int, or a tuple of {} ints", name, either, count_word(n));
  narrow(kernel);
  check(stride.empty() || fits(stride), "{}: stride must {} omitted, a single int, or a tuple of {} ints", name, either, count_word(n));
  narrow(stride);
  check(fits(padding), "{}: padding must {} a single int, or a tuple of {} ints", name, either, count_word(n));
  narrow(padding);
  check(fits(dilation), "{}: dilation must be either a single int, or a tuple of {} ints", name, count_word(n));
  narrow(dilation);
  Window w{n, filled(kernel, n), {}, filled(padding, n), filled(dilation, n), ceil_mode};
  w.stride = stride.empty() ? w.kernel : filled(stride, n);
  return w;
}

Dims pooled_sizes(const Tensor& self, const Window& w, bool averages) {
  const int64_t n = w.n, dim = self.dim();
  if (n == 3 || !averages)
    check(dim == n + 1 || dim == n + 2, "non-empty {}D or {}D (batch mode) tensor expected for input", n + 1, n + 2);
  else
    wrap_dim(-3, dim);
  const IntList in(self.sizes().end() - n, n);
  Dims out(IntList(self.sizes().begin(), dim - n));
  int64_t o[3] = {1, 1, 1};
  for (int64_t i = 0; i < n; ++i)
    out.push_back(o[i] = pooled_size(in[i], w.kernel[i], w.stride[i], w.padding[i], w.dilation[i], w.ceil_mode));
  auto positive = [&](const Dims& values) {
    for (int64_t v : values)
      if (v <= 0) return false;
    return true;
  };
  auto check_positive = [&](const Dims& v, const char* what, const char* letter) {
    if (positive(v)) return;
    if (n == 3)
      fail("{} should be greater than zero, but got {}T: {} {}H: {} {}W: {}", what, letter, v[0], letter, v[1], letter, v[2]);
    fail("{} should be greater than zero, but got {}H: {} {}W: {}", what, letter, v[0], letter, v[1]);
  };
  check_positive(w.kernel, "kernel size", "k");
  check_positive(w.stride, "stride", "d");
  check_positive(w.dilation, "dilation", "dilation");
  const bool batched = dim == n + 2;
  if (n == 2) {
    bool filled_dims = dim == 3 || dim == 4;
    for (int64_t d = batched; d < dim && filled_dims; ++d) filled_dims = self.size(d) > 0;
    check(filled_dims, "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:{}", self.sizes());
    check(w.padding[0] <= w.kernel[0] / 2 && w.padding[1] <= w.kernel[1] / 2,
          "pad should be smaller than or equal to half of kernel size, but got padW = {}, padH = {}, kW = {}, kH = {}",
          w.padding[1], w.padding[0], w.kernel[1], w.kernel[0]);
    check(o[0] >= 1 && o[1] >= 1,
          "Given input size: ({}x{}x{}). Calculated output size: ({}x{}x{}). Output size is too small",
          self.size(dim - 3), in[0], in[1], self.size(dim - 3), o[0], o[1]);
    return out;
  }
  for (int64_t d = batched; d < dim; ++d)
    check(self.size(d) > 0,
          "{}: Expected input's non-batch dimensions to have positive length, but input has a shape of {} and "
          "non-batch dimension {} has length zero!",
          averages ? "avg_pool3d()" : "max_pool3d_with_indices_out_cpu_template()", self.sizes(), self.size(d));
  if (averages)
    check(in[0] >= w.kernel[0] - 2 * w.padding[0] && in[1] >= w.kernel[1] - 2 * w.padding[1] &&
              in[2] >= w.kernel[2] - 2 * w.padding[2],
          "input image (T: {} H: {} W: {}) smaller than kernel size (kT: {} kH: {} kW: {})", in[0], in[1], in[2],
          w.kernel[0], w.kernel[1], w.kernel[2]);
  check(w.padding[0] <= w.kernel[0] / 2 && w.padding[1] <= w.kernel[1] / 2 && w.padding[2] <= w.kernel[2] / 2,
        "pad should be smaller than or equal to half of kernel size, but got kT: {} kW: {} kH: {} padT: {} padW: {} "
        "padH: {}",
        w.kernel[0], w.kernel[2], w.kernel[1], w.padding[0], w.padding[2], w.padding[1]);
  check(o[0] >= 1 && o[1] >= 1 && o[2] >= 1,
        "Given input size: ({}x{}x{}x{}). Calculated output size: ({}x{}x{}x{}). Output size is too small",
        self.size(dim - 4), in[0], in[1], in[2], self.size(dim - 4), o[0], o[1], o[2]);
  return out;
}

cpu::PoolShape pool_shape(IntList input, IntList output, const Window& w) {
  const Spatial in(input, w.n), out(output, w.n);
  cpu::PoolShape s;
  s.planes = in.planes;
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t d = i - (3 - w.n);
    s.in[i] = in.size[i], s.out[i] = out.size[i];
    s.kernel[i] = d < 0 ? 1 : w.kernel[d];
    s.padding[i] = d < 0 ? 0 : w.padding[d];
    // Steps that are never taken count as 1, whatever their size.
    s.stride[i] = out.size[i] > 1 ? w.stride[d] : 1;
    s.dilation[i] = s.kernel[i] > 1 ? w.dilation[d] : 1;
  }
  return s;
}

void add_like(Specs& out, const Tensor& self, IntList sizes, Dtype dtype, bool keeps_channels_last) {
  const MemoryFormat format = keeps_channels_last ? self.suggested_memory_format() : MemoryFormat::contiguous;
  if (format == MemoryFormat::contiguous)
    out.add(sizes, dtype);
  else
    out.add_strided(sizes, strides_of_format(sizes, format), dtype);
}

void check_same_size(const Tensor& t, IntList sizes, int64_t n) {
  for (int64_t d = sizes.size() - n - 1; d < sizes.size(); ++d)
    check(t.dim() == sizes.size() && t.size(d) == sizes[d],
          "Expected a tensor of dimension {} and tensor.size[{}] == {} but got: dimension {} and tensor.size[{}] = {}",
          sizes.size(), d, sizes[d], t.dim(), d, d < t.dim() ? t.size(d) : 0);
  check(t.sizes() == sizes, "Expected a tensor of size {} but got size {}", sizes, t.sizes());
}

void check_same_dtype(const Tensor& grad, const Tensor& self, const char* name) {
  check(grad.dtype() == self.dtype(), "expected dtype {} for `{}` but got dtype {}", ScalarName(self.dtype()), name,
        ScalarName(grad.dtype()));
}

void check_non_empty(const Tensor& t, int64_t first, const char* function, const char* expected, const char* got) {
  for (int64_t d = first; d < t.dim(); ++d)
    check(t.size(d) > 0,
          "{}: Expected {} to have non-zero size for non-batch dimensions, but {}{} with dimension {} being empty",
          function, expected, got, t.sizes(), d);
}

Tensor gather_places(const Tensor& values, const Tensor& places, int64_t n) {
  Dims rows(IntList(values.sizes().begin(), values.dim() - n)), flat(IntList(places.sizes().begin(), places.dim() - n));
  rows.push_back(Spatial(values.sizes(), n).total);
  flat.push_back(Spatial(places.sizes(), n).total);
  Tensor picked = op<"gather">(op<"reshape">(values, rows), -1, op<"reshape">(places, flat));
  return op<"reshape">(picked, places.sizes());
}

}  // namespace mt
