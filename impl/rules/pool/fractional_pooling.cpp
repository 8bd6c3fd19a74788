// Fractional max pooling: checks and sizes.
#include "rules/pool/fractional_pooling.h"

#include "core/messages.h"
#include "cpu/pool/pool_indices.h"

namespace mt {
namespace {

// The names of the last `n` dimensions in error messages; torch's names differ between the 2-d and the 3-d operator.
const char* const* dimension_names(int64_t n) {
  static constexpr const char* names[] = {"time", "height", "width"};
  return names + 3 - n;
}
const char* dimension_suffix_of(int64_t n) { return n == 2 ? "" : "_out"; }

}  // namespace

void fractional_max_pool_specs(Specs& out, const Tensor& self, int64_t n, IntList window, IntList output_size, const Tensor& samples) {
  const char* ints = n == 2 ? "Ints" : "three Ints";
  check(window.size() == n, "fractional_max_pool{}d: kernel_size must either be a single Int or tuple of {}", n, ints);
  check(output_size.size() == n, "fractional_max_pool{}d: output_size must either be a single Int or tuple of {}", n, ints);
  const int64_t dim = self.dim();
  check(dim == n + 1 || dim == n + 2, "fractional_max_pool{}d{}(): Expected {}D or {}D tensor, but got: {}", n, dimension_suffix_of(n),
        n + 1, n + 2, self.sizes());
  for (int64_t d = dim - n - 1; d < dim; ++d)
    check(self.size(d) > 0,
          "fractional_max_pool{}d{}(): Expected input to have non-zero size for non-batch dimensions, but got{} with dimension {} being "
          "empty.",
          n, dimension_suffix_of(n), self.sizes(), d);
  const char* const* names = dimension_names(n);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t in = self.size(dim - n + i);
    // In unsigned arithmetic, so that overflow wraps.
    check(int64_t(uint64_t(output_size[i]) + uint64_t(window[i]) - 1) <= in && window[i] <= in,
          "fractional_max_pool{}d{}(): pool {} {} too large relative to input {} {}", n, dimension_suffix_of(n), names[i], window[i],
          names[i], in);
  }
  const Dims sizes = replace_spatial_sizes(self.sizes(), output_size);
  for (int64_t size : sizes) check(size >= 0, messages::negative_size_in, size, sizes);
  for (int64_t k : window)
    check(k >= 0, "fractional_max_pool{}d{}(): kernel_size must not be negative, but got {}", n, dimension_suffix_of(n), window);
  check(samples.dtype() == self.dtype(), "Expect _random_samples to have the same dtype as input");
  check(samples.dim() == 3, "Expect _random_samples to have 3 dimensions, got {}", samples.dim());
  check(samples.size(0) >= (dim == n + 2 ? self.size(0) : 1), "Expect _random_samples.size(0) no less then input batch size.");
  check(samples.size(1) == self.size(dim - n - 1), "Expect _random_samples.size(1) equals to input channel size.");
  check(samples.size(2) == n, "Expect _random_samples.size(2) equals to {}; got {}.", n, samples.size(2));
  out.add(sizes, self.dtype());
  out.add(sizes, Dtype::int64);
}

void fractional_max_pool(const char* kernel, const Tensor& self, int64_t n, IntList window, const Tensor& samples, Tensor& values,
                         Tensor& indices) {
  dispatch_floating(self.dtype(), kernel, [&]<class T>(Type<T>) {
    const Tensor x = dense(self), s = dense(samples);
    const Spatial in(x.sizes(), n), out(values.sizes(), n);
    cpu::FractionalPool pool{in.planes, int(n), {in.size[0], in.size[1], in.size[2]}, {out.size[0], out.size[1], out.size[2]}, {1, 1, 1}};
    for (int64_t i = 0; i < n; ++i) pool.window[3 - n + i] = window[i];
    cpu::fractional_max_pool<T>(pool, x.template data<T>(), s.template data<T>(), values.data<T>(), indices.data<int64_t>());
  });
}

void fractional_max_pool_backward_specs(Specs& out, const Tensor& grad, const Tensor& self, int64_t n, IntList output_size,
                                        const Tensor& indices) {
  bool fits = output_size.size() == n && grad.dim() == self.dim() && self.dim() > n;
  for (int64_t i = 0; fits && i < n; ++i) fits = grad.size(grad.dim() - n + i) == output_size[i];
  // In three dimensions torch's error message names the dimension that does not fit.
  for (int64_t i = 0; n == 3 && i < n; ++i)
    check(fits || grad.dim() < n || output_size.size() != n || grad.size(grad.dim() - n + i) == output_size[i],
          "fractional_max_pool3d_backward_out(): gradOutput {} unexpected", dimension_names(n)[i]);
  check(fits, "fractional_max_pool{}d_backward{}(): gradOutput sizes unexpected", n, dimension_suffix_of(n));
  check(grad.sizes() == indices.sizes() && Spatial(grad.sizes(), n).planes == Spatial(self.sizes(), n).planes,
        "expected sizes {} for `gradOutput` but got sizes {}", indices.sizes(), grad.sizes());
  out.add(self.sizes(), self.dtype());
}

}  // namespace mt
