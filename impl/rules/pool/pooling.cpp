// Pooling with regularly spaced windows: checks, sizes, and calls of the loops in cpu/pool/pool.h.
#include "rules/pool/pooling.h"

#include "core/messages.h"
#include "cpu/pool/pool_indices.h"

namespace mt {
namespace {

const char* number_word_of(int64_t n) { return n == 2 ? "two" : "three"; }

Dims repeat_to_dims(IntList values, int64_t n) { return values.size() == 1 ? Dims(n, values[0]) : Dims(values); }

// The number of results along one dimension.
int64_t compute_pooled_size(int64_t in, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation, bool ceil_mode) {
  check(stride != 0, "stride should not be zero");
  check(pad >= 0, "pad must be non-negative, but got pad: {}", pad);
  // In unsigned arithmetic, so that overflow wraps.
  const int64_t reach = int64_t(uint64_t(dilation) * uint64_t(kernel - 1) + 1);
  check(pad <= reach / 2, "pad should be at most half of effective kernel size, but got pad={}, kernel_size={} and dilation={}", pad,
        kernel, dilation);
  const int64_t room = int64_t(uint64_t(in) + 2 * uint64_t(pad) - uint64_t(reach) + uint64_t(ceil_mode ? stride - 1 : 0));
  if (stride < 0 || kernel <= 0) return 0;  // the caller refuses these with its own message
  int64_t out = (room >= 0 ? room / stride : -((stride - 1 - room) / stride)) + 1;
  // The last window must begin inside the image or its left padding.
  if (ceil_mode && out > 0 && uint64_t(out - 1) * uint64_t(stride) >= uint64_t(in) + uint64_t(pad)) --out;
  return out;
}

Window window_of(Pooling kind, int64_t n, IntList kernel, IntList stride, IntList padding, IntList dilation, bool ceil_mode) {
  const char* name = kind == Pooling::max ? "max_pool" : "avg_pool";
  const char* either = kind == Pooling::avg && n == 3 ? "be" : "either be";
  const auto fits = [&](IntList l) { return l.size() == 1 || l.size() == n; };
  const auto narrow = [](IntList l) {
    for (int64_t v : l) check(v == int32_t(v), "value cannot be converted to type int without overflow");
  };
  check(fits(kernel), "{}{}d: kernel_size must {} a single int, or a tuple of {} ints", name, n, either, number_word_of(n));
  narrow(kernel);
  check(stride.empty() || fits(stride), "{}{}d: stride must {} omitted, a single int, or a tuple of {} ints", name, n, either,
        number_word_of(n));
  narrow(stride);
  check(fits(padding), "{}{}d: padding must {} a single int, or a tuple of {} ints", name, n, either, number_word_of(n));
  narrow(padding);
  check(fits(dilation), "{}{}d: dilation must be either a single int, or a tuple of {} ints", name, n, number_word_of(n));
  narrow(dilation);
  Window w{kind, n, repeat_to_dims(kernel, n), {}, repeat_to_dims(padding, n), repeat_to_dims(dilation, n), ceil_mode};
  w.stride = stride.empty() ? w.kernel : repeat_to_dims(stride, n);
  return w;
}

// The sizes of the result, after all of torch's checks; avg_pool3d also compares sizes with the kernel.
Dims compute_pooled_sizes(const Tensor& self, const Window& w) {
  const int64_t n = w.n, dim = self.dim();
  const bool averages = w.kind == Pooling::avg;
  if (n == 3 || !averages)
    check(dim == n + 1 || dim == n + 2, "non-empty {}D or {}D (batch mode) tensor expected for input", n + 1, n + 2);
  else if (dim == 0)
    fail(ErrorKind::index, "Dimension specified as -3 but tensor has no dimensions");
  else
    wrap_dim(-3, dim);
  const IntList in(self.sizes().end() - n, n);
  Dims out(IntList(self.sizes().begin(), dim - n));
  int64_t o[3] = {1, 1, 1};
  for (int64_t i = 0; i < n; ++i)
    out.push_back(o[i] = compute_pooled_size(in[i], w.kernel[i], w.stride[i], w.padding[i], w.dilation[i], w.ceil_mode));
  auto positive = [&](const Dims& values) {
    for (int64_t v : values)
      if (v <= 0) return false;
    return true;
  };
  auto check_positive = [&](const Dims& v, const char* what, const char* letter) {
    if (positive(v)) return;
    if (n == 3) fail("{} should be greater than zero, but got {}T: {} {}H: {} {}W: {}", what, letter, v[0], letter, v[1], letter, v[2]);
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
          "pad should be smaller than or equal to half of kernel size, but got padW = {}, padH = {}, kW = {}, kH = {}", w.padding[1],
          w.padding[0], w.kernel[1], w.kernel[0]);
    check(o[0] >= 1 && o[1] >= 1, "Given input size: ({}x{}x{}). Calculated output size: ({}x{}x{}). Output size is too small",
          self.size(dim - 3), in[0], in[1], self.size(dim - 3), o[0], o[1]);
    return out;
  }
  for (int64_t d = batched; d < dim; ++d)
    check(self.size(d) > 0,
          "{}: Expected input's non-batch dimensions to have positive length, but input has a shape of {} and "
          "non-batch dimension {} has length zero!",
          averages ? "avg_pool3d()" : "max_pool3d_with_indices_out_cpu_template()", self.sizes(), self.size(d));
  if (averages)
    check(in[0] >= w.kernel[0] && in[1] >= w.kernel[1] && in[2] >= w.kernel[2],  // without its padding
          "input image (T: {} H: {} W: {}) smaller than kernel size (kT: {} kH: {} kW: {})", in[0], in[1], in[2], w.kernel[0], w.kernel[1],
          w.kernel[2]);
  check(w.padding[0] <= w.kernel[0] / 2 && w.padding[1] <= w.kernel[1] / 2 && w.padding[2] <= w.kernel[2] / 2,
        "pad should be smaller than or equal to half of kernel size, but got kT: {} kW: {} kH: {} padT: {} padW: {} "
        "padH: {}",
        w.kernel[0], w.kernel[2], w.kernel[1], w.padding[0], w.padding[2], w.padding[1]);
  check(o[0] >= 1 && o[1] >= 1 && o[2] >= 1,
        "Given input size: ({}x{}x{}x{}). Calculated output size: ({}x{}x{}x{}). Output size is too small", self.size(dim - 4), in[0],
        in[1], in[2], self.size(dim - 4), o[0], o[1], o[2]);
  return out;
}

// Checks the sizes of `t`, channels first, then the last `n` dimensions, with torch's error messages.
void check_same_size(const Tensor& t, IntList sizes, int64_t n) {
  for (int64_t d = sizes.size() - n - 1; d < sizes.size(); ++d)
    check(t.dim() == sizes.size() && t.size(d) == sizes[d], messages::expected_tensor_dimension_and_size, sizes.size(), d, sizes[d],
          t.dim(), d, d < t.dim() ? t.size(d) : 0);
  check(t.sizes() == sizes, "Expected a tensor of size {} but got size {}", sizes, t.sizes());
}

// The windows of channels-last images along each of their dimensions.
cpu::PoolWindows image_windows(const Tensor& input, const Tensor& output, const Window& window, cpu::PoolDivisor divisor) {
  cpu::PoolShape shape = pool_shape(input.sizes(), output.sizes(), window);
  shape.planes = input.size(0);
  return cpu::regular_windows(shape, divisor, input.size(1));
}
[[noreturn]] void refuse_index(int64_t place, const Spatial& results, int64_t n) {
  const auto& size = results.size;
  if (n == 3) fail("Found an invalid max index: {} (output volumes are of size {}x{}x{})", place, size[0], size[1], size[2]);
  fail("Found an invalid max index: {} (output volumes are of size {}x{})", place, size[1], size[2]);
}
// Floating types and, as in torch, int64; in three dimensions half types are refused.
template <class F>
void dispatch_average(Dtype dtype, int64_t n, const char* kernel, F&& f) {
  if (dtype == Dtype::int64) return f(Type<int64_t>());
  if (n == 3 && is_half(dtype)) not_implemented_for(kernel, dtype);
  dispatch_floating(dtype, kernel, f);
}

}  // namespace

Window max_window(int64_t n, IntList kernel, IntList stride, IntList padding, IntList dilation, bool ceil_mode) {
  return window_of(Pooling::max, n, kernel, stride, padding, dilation, ceil_mode);
}

Averaging averaging(int64_t n, IntList kernel, IntList stride, IntList padding, bool ceil_mode, bool count_include_pad,
                    const std::optional<int64_t>& divisor) {
  const Window window = window_of(Pooling::avg, n, kernel, stride, padding, IntList{1}, ceil_mode);
  check(!divisor || *divisor != 0, "divisor must be not zero");
  return {window, {count_include_pad, divisor.value_or(0)}};
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
    // An output of size 1 uses no stride; it counts as 1.
    s.stride[i] = out.size[i] > 1 ? w.stride[d] : 1;
    s.dilation[i] = s.kernel[i] > 1 ? w.dilation[d] : 1;
  }
  return s;
}

void max_pool_specs(Specs& out, const Tensor& self, const Window& window) {
  const Dims sizes = compute_pooled_sizes(self, window);
  add_in_format_of(out, self, sizes, self.dtype());
  add_in_format_of(out, self, sizes, Dtype::int64);
}

void max_pool(const char* kernel, const Tensor& self, const Window& window, Tensor& values, Tensor& indices) {
  auto pooled = [&]<class T>(Type<T>) {
    if constexpr (!std::is_same_v<T, uint16_t> && !std::is_same_v<T, uint32_t> && !std::is_same_v<T, uint64_t>) {
      if (are_channels_last(self, values, window.n) && are_channels_last(self, indices, window.n)) {
        return cpu::max_pool_channels_last<T>(image_windows(self, values, window, {}), self.data<T>(), values.data<T>(),
                                              indices.data<int64_t>());
      }
      const Tensor x = make_planar(self);
      with_contiguous(values, [&](Tensor& y) {
        with_contiguous(indices, [&](Tensor& at) {
          cpu::max_pool<T>(pool_shape(x.sizes(), y.sizes(), window), x.template data<T>(), y.template data<T>(),
                           at.template data<int64_t>());
        });
      });
    } else {
      not_implemented_for(kernel, self.dtype());
    }
  };
  dispatch_real(self.dtype(), kernel, pooled);
}

void max_pool_backward_specs(Specs& out, const Tensor& grad, const Tensor& self, const Window& window, const Tensor& indices) {
  check_same_dtype(grad, self, "gradOutput");
  const Dims sizes = compute_pooled_sizes(self, window);
  check_same_size(grad, sizes, window.n);
  check_same_size(indices, sizes, window.n);
  add_in_format_of(out, self, self.sizes(), self.dtype());
}

void avg_pool_specs(Specs& out, const Tensor& self, const Averaging& averaging) {
  add_in_format_of_planes(out, self, compute_pooled_sizes(self, averaging), averaging.n, self.dtype());
}

void avg_pool(const char* kernel, const Tensor& self, const Averaging& averaging, Tensor& out) {
  dispatch_average(self.dtype(), averaging.n, kernel, [&]<class T>(Type<T>) {
    if (averaging.n == 2 && are_channels_last(self, out, 2))
      return cpu::avg_pool_channels_last<T>(image_windows(self, out, averaging, averaging.divisor), self.data<T>(), out.data<T>());
    const Tensor x = make_planar(self);
    with_contiguous(out, [&](Tensor& y) {
      cpu::avg_pool<T>(pool_shape(x.sizes(), y.sizes(), averaging), averaging.divisor, x.template data<T>(), y.template data<T>());
    });
  });
}

void avg_pool_backward_specs(Specs& out, const Tensor& grad, const Tensor& self, const Averaging& averaging) {
  check_same_size(grad, compute_pooled_sizes(self, averaging), averaging.n);
  check_same_dtype(grad, self, "gradOutput");
  add_in_format_of_planes(out, self, self.sizes(), averaging.n, self.dtype());
}

void avg_pool_backward(const char* kernel, const Tensor& grad, const Averaging& averaging, Tensor& out) {
  dispatch_average(out.dtype(), averaging.n, kernel, [&]<class T>(Type<T>) {
    const Tensor g = copy_into_order_of(grad, out, averaging.n);
    if (are_channels_last(out, g, averaging.n))
      return cpu::avg_pool_backward_channels_last<T>(image_windows(out, g, averaging, averaging.divisor), g.data<T>(), out.data<T>());
    with_contiguous(out, [&](Tensor& x) {
      cpu::avg_pool_backward<T>(pool_shape(x.sizes(), g.sizes(), averaging), averaging.divisor, g.template data<T>(), x.template data<T>());
    });
  });
}

void add_at_indices(const char* kernel, const Tensor& grad, const Tensor& indices, int64_t n, Tensor& out) {
  check(indices.dtype() == Dtype::int64, messages::expected_scalar_type_long, indices.dtype());
  dispatch_floating(grad.dtype(), kernel, [&]<class T>(Type<T>) {
    check(out.dtype() == grad.dtype(), messages::expected_scalar_type, grad.dtype(), out.dtype());
    const Tensor g = copy_into_order_of(grad, out, n), at = copy_into_order_of(indices, out, n);
    const Spatial in(out.sizes(), n), results(g.sizes(), n);
    const T* from = g.template data<T>();
    const int64_t* place = at.template data<int64_t>();
    if (are_channels_last(out, g, n))
      return cpu::add_at_indices_channels_last<T>({out.size(0), in.total, results.total}, out.size(1), from, place, out.data<T>());
    with_contiguous(out,
                    [&](Tensor& x) { cpu::add_at_indices<T>({in.planes, in.total, results.total}, from, place, x.template data<T>()); });
  });
}

Tensor gather_at_indices(const Tensor& values, const Tensor& indices, int64_t n) {
  Dims rows(IntList(values.sizes().begin(), values.dim() - n)), flat(IntList(indices.sizes().begin(), indices.dim() - n));
  rows.push_back(Spatial(values.sizes(), n).total);
  flat.push_back(Spatial(indices.sizes(), n).total);
  Tensor picked = op<"gather">(op<"reshape">(values, rows), -1, op<"reshape">(indices, flat));
  return op<"reshape">(picked, indices.sizes());
}

Tensor unpool(const char* kernel, const Tensor& self, const Tensor& indices, int64_t n, IntList output_size) {
  const Dims sizes = replace_spatial_sizes(self.sizes(), output_size);
  Tensor out = empty(sizes, self.dtype(), self.device());
  if (out.is_meta()) return out;
  dispatch_floating(self.dtype(), kernel, [&]<class T>(Type<T>) {
    const Tensor x = make_planar(self), at = make_planar(indices);
    const Spatial in(x.sizes(), n), results(sizes, n);
    cpu::store_at_indices<T>({in.planes, results.total, in.total}, x.template data<T>(), at.template data<int64_t>(), out.data<T>(),
                             [&](int64_t index) { refuse_index(index, results, n); });
  });
  return copy_into_format(out, self.suggested_memory_format());
}

void add_in_format_of(Specs& out, const Tensor& self, IntList sizes, Dtype dtype) {
  const MemoryFormat format = self.suggested_memory_format();
  if (format == MemoryFormat::contiguous)
    out.add(sizes, dtype);
  else
    out.add_strided(sizes, strides_of_format(sizes, format), dtype);
}

void add_in_format_of_planes(Specs& out, const Tensor& self, IntList sizes, int64_t n, Dtype dtype) {
  if (n == 2)
    add_in_format_of(out, self, sizes, dtype);
  else
    out.add(sizes, dtype);
}

Dims replace_spatial_sizes(IntList sizes, IntList spatial) {
  Dims out(IntList(sizes.begin(), sizes.size() - spatial.size()));
  for (int64_t size : spatial) out.push_back(size);
  return out;
}

bool are_channels_last(const Tensor& input, const Tensor& output, int64_t n) {
  const MemoryFormat format = n == 2 ? MemoryFormat::channels_last : MemoryFormat::channels_last_3d;
  return is_stored_channels_last(input, format) && output.is_contiguous(format) && output.numel() > 0;
}
Tensor copy_into_order_of(const Tensor& grad, const Tensor& result, int64_t n) {
  const MemoryFormat format = n == 2 ? MemoryFormat::channels_last : MemoryFormat::channels_last_3d;
  if (grad.numel() == 0 || !are_channels_last(result, result, n)) return make_planar(grad);
  return grad.is_contiguous(format) ? grad : copy_into_format(make_planar(grad), format);
}

void check_same_dtype(const Tensor& grad, const Tensor& self, const char* name) {
  check(grad.dtype() == self.dtype(), messages::expected_dtype_for_argument, ScalarName(self.dtype()), name, ScalarName(grad.dtype()));
}

}  // namespace mt
