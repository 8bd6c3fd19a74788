// Adaptive pooling: windows that divide the input evenly.
#include "rules/pool/adaptive_pooling.h"

#include "core/messages.h"
#include "cpu/pool/pool_indices.h"
#include "rules/resample/resample.h"

namespace mt {
namespace {

// The window [start, end) of input elements from which result element o of a dimension is computed.
struct AdaptiveWindow {
  int64_t start, end;
  AdaptiveWindow(int64_t o, int64_t in, int64_t out) : start(o / out * in + o % out * in / out), end(1 + ((o + 1) * in - 1) / out) {}
  int64_t size() const { return end - start; }
};

// The windows of an image along each of its dimensions. An average is divided by the window's size in one dimension after the other.
cpu::PoolWindows image_windows(const Tensor& input, const Tensor& output, int64_t n) {
  const Spatial in(input.sizes(), n), out(output.sizes(), n);
  cpu::PoolWindows windows{input.size(0), input.size(1), {in.size[0], in.size[1], in.size[2]}, {}, 0, true};
  for (int i = 0; i < 3; ++i)
    for (int64_t o = 0; o < out.size[i]; ++o) {
      const AdaptiveWindow window(o, in.size[i], out.size[i]);
      windows.along[i].push_back({window.start, window.size(), 1, window.size()});
    }
  return windows;
}

// Whether to average window by window, instead of transposing planes to pixels: for half types with few planes, whose pixels would not fill
// vectors, or with large planes. Sums of float and double need torch's order, which only transposing preserves.
bool should_average_by_windows(const Tensor& image, int64_t n) {
  const Spatial in(image.sizes(), n);
  return is_half(image.dtype()) && (in.planes < 16 || in.total * image.itemsize() > 1 << 17);
}
void check_same_planes(const char* name, const Tensor& grad, const Tensor& self, int64_t n) {
  check(grad.dim() == self.dim() && Spatial(grad.sizes(), n).planes == Spatial(self.sizes(), n).planes,
        "{}{}d_backward(): grad_output of size {} does not fit input of size {}", name, n, grad.sizes(), self.sizes());
}

}  // namespace

void check_non_empty(const Tensor& t, int64_t first, const char* argument, const char* name, int64_t n, const char* suffix) {
  for (int64_t d = first; d < t.dim(); ++d)
    check(t.size(d) > 0,
          "{}{}d{}(): Expected {} to have non-zero size for non-batch dimensions, but {} has sizes {} with dimension {} being empty", name,
          n, suffix, argument, argument, t.sizes(), d);
}

void adaptive_avg_pool_specs(Specs& out, const Tensor& self, int64_t n, IntList output_size) {
  check(output_size.size() == n, "adaptive_avg_pool{}d: output_size must be {}", n, n);
  if (n == 3) check_non_empty(self, 1, "input", "adaptive_avg_pool", n, "");
  check(self.dim() == n + 1 || self.dim() == n + 2, "adaptive_avg_pool{}d(): Expected {}D or {}D tensor, but got {}", n, n + 1, n + 2,
        self.sizes());
  if (n == 2) check_non_empty(self, self.dim() - 2, "input", "adaptive_avg_pool", n, "");
  add_in_format_of_planes(out, self, replace_spatial_sizes(self.sizes(), output_size), n, self.dtype());
}

void adaptive_avg_pool(const char* kernel, const Tensor& self, int64_t n, Tensor& out) {
  if (n == 2 && out.numel() == 0) return;  // in two dimensions before the dtype check, unlike in three
  dispatch_floating(self.dtype(), kernel, [&]<class T>(Type<T>) {
    if (out.numel() == 0) return;  // however many windows there are along other dimensions
    if (are_channels_last(self, out, n)) return cpu::avg_pool_channels_last<T>(image_windows(self, out, n), self.data<T>(), out.data<T>());
    const Tensor x = make_planar(self);
    with_contiguous(out, [&](Tensor& y) {
      if (should_average_by_windows(x, n)) return window_means(x, y, n);
      cpu::avg_pool_transposed<T>(image_windows(x, y, n), Spatial(x.sizes(), n).planes, x.template data<T>(), y.template data<T>());
    });
  });
}

void adaptive_avg_pool_backward_specs(Specs& out, const Tensor& grad, const Tensor& self, int64_t n) {
  check_non_empty(grad, n == 2 ? grad.dim() - 2 : 1, "grad_output", "adaptive_avg_pool", n, "_backward");
  check(grad.dim() == n + 1 || grad.dim() == n + 2, "adaptive_avg_pool{}d_backward(): Expected {}D or {}D tensor, but got {}", n, n + 1,
        n + 2, self.sizes());
  if (n == 2)
    check(grad.dtype() == self.dtype(),
          "adaptive_avg_pool2d_backward_out_cpu_template: Expected dtype {} for `grad_output` but got dtype {}", ScalarName(self.dtype()),
          ScalarName(grad.dtype()));
  else
    check(grad.dtype() == self.dtype(), messages::expected_scalar_type, self.dtype(), grad.dtype());
  check_same_planes("adaptive_avg_pool", grad, self, n);
  add_in_format_of_planes(out, self, self.sizes(), n, self.dtype());
}

void adaptive_avg_pool_backward(const char* kernel, const Tensor& grad, int64_t n, Tensor& out) {
  dispatch_floating(out.dtype(), kernel, [&]<class T>(Type<T>) {
    const Tensor g = copy_into_order_of(grad, out, n);
    if (out.numel() == 0) return;
    if (are_channels_last(out, g, n)) return cpu::avg_pool_backward_channels_last<T>(image_windows(out, g, n), g.data<T>(), out.data<T>());
    with_contiguous(out, [&](Tensor& x) {
      if (should_average_by_windows(x, n)) return window_means_backward(g, x, n);
      cpu::avg_pool_backward_transposed<T>(image_windows(x, g, n), Spatial(x.sizes(), n).planes, g.template data<T>(),
                                           x.template data<T>());
    });
  });
}

void adaptive_max_pool_specs(Specs& out, const Tensor& self, int64_t n, IntList output_size) {
  check(self.dim() == n + 1 || self.dim() == n + 2, "adaptive_max_pool{}d(): Expected {}D or {}D tensor, but got: {}", n, n + 1, n + 2,
        self.sizes());
  check_non_empty(self, 1, "input", "adaptive_max_pool", n, "");
  check(output_size.size() == n, "adaptive_max_pool{}d(): internal error: output_size.size() must be {}", n, n);
  const Dims sizes = replace_spatial_sizes(self.sizes(), output_size);
  for (int64_t size : sizes) check(size >= 0, messages::negative_size_in, size, sizes);
  add_in_format_of_planes(out, self, sizes, n, self.dtype());
  add_in_format_of_planes(out, self, sizes, n, Dtype::int64);
}

void adaptive_max_pool(const char* kernel, const Tensor& self, int64_t n, Tensor& values, Tensor& indices) {
  dispatch_floating(self.dtype(), kernel, [&]<class T>(Type<T>) {
    if (values.numel() == 0) return;
    if (are_channels_last(self, values, n) && are_channels_last(self, indices, n))
      return cpu::max_pool_channels_last<T>(image_windows(self, values, n), self.data<T>(), values.data<T>(), indices.data<int64_t>());
    const Tensor x = make_planar(self);
    with_contiguous(values, [&](Tensor& y) {
      with_contiguous(indices, [&](Tensor& at) {
        const Spatial in(x.sizes(), n);
        const cpu::PoolWindows windows = image_windows(x, y, n);
        if (cpu::are_worth_transposing(in.planes))
          return cpu::max_pool_transposed<T>(windows, in.planes, x.template data<T>(), y.template data<T>(), at.template data<int64_t>());
        cpu::max_pool_by_windows<T>(windows, in.planes, x.template data<T>(), y.template data<T>(), at.template data<int64_t>());
      });
    });
  });
}

void adaptive_max_pool_backward_specs(Specs& out, const Tensor& grad, const Tensor& self, const Tensor& indices, int64_t n) {
  // torch names the argument differently in two and three dimensions.
  const char* argument = n == 2 ? "grad_output" : "gradOutput";
  check(grad.dim() == n + 1 || grad.dim() == n + 2, "adaptive_max_pooling{}d_backward(): Expected {}D or {}D grad_output, but got: {}", n,
        n + 1, n + 2, grad.sizes());
  check_non_empty(grad, 1, "grad_output", "adaptive_max_pool", n, "_backward");
  check_same_dtype(grad, self, argument);
  check(grad.sizes() == indices.sizes(), "expected sizes {} for `{}` but got sizes {}", indices.sizes(), argument, grad.sizes());
  check_same_planes("adaptive_max_pool", grad, self, n);
  add_in_format_of_planes(out, self, self.sizes(), n, self.dtype());
}

}  // namespace mt
