// Fractional max pooling: the starts of the windows, and the maximum of each.
#include "rules/pool/fractional_pooling.h"
#include "core/messages.h"

#include <algorithm>
#include <vector>

namespace mt {
namespace {

// The names of the last `n` dimensions in error messages; torch's names differ between the 2-d and the 3-d operator.
const char* const* dimension_names(int64_t n) {
  static constexpr const char* names[] = {"time", "height", "width"};
  return names + 3 - n;
}
const char* dimension_suffix_of(int64_t n) { return n == 2 ? "" : "_out"; }

// The starts of the windows: steps of alpha from a random offset, rounded down in the dtype's own precision; the last window ends at the
// edge.
template <class T>
std::vector<int64_t> list_starts(T sample, int64_t in, int64_t out, int64_t kernel) {
  std::vector<int64_t> list(size_t(out), 0);
  if (out == 0) return list;
  if (out > 1) {
    const T alpha = T(ComputeType<T>(T(ComputeType<T>(in - kernel))) / ComputeType<T>(T(ComputeType<T>(out - 1))));
    auto at = [&](int64_t i) {
      const T shifted = T(ComputeType<T>(T(ComputeType<T>(i))) + ComputeType<T>(sample));
      return int64_t(ComputeType<T>(T(ComputeType<T>(shifted) * ComputeType<T>(alpha))));
    };
    for (int64_t i = 0; i + 1 < out; ++i) list[size_t(i)] = std::clamp<int64_t>(at(i) - at(0), 0, in - kernel);
  }
  list[size_t(out - 1)] = in - kernel;
  return list;
}

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
    using C = ComputeType<T>;
    const Tensor x = dense(self), s = dense(samples);
    const Spatial in(x.sizes(), n), out(values.sizes(), n);
    const int64_t lead = 3 - n;
    int64_t size[3] = {1, 1, 1};
    for (int64_t i = 0; i < n; ++i) size[lead + i] = window[i];
    for_rows(in.planes, in.total + out.total, [&](int64_t p) {
      std::vector<int64_t> first[3];
      for (int64_t i = 0; i < 3; ++i) first[i].assign(size_t(out.size[i]), 0);
      const T* offsets = s.template data<T>() + p * n;
      // torch assigns the samples of two dimensions from the last to the first, those of three in order.
      for (int64_t i = 0; i < n; ++i)
        first[lead + i] = list_starts(offsets[n == 2 ? 1 - i : i], in.size[lead + i], out.size[lead + i], window[i]);
      const T* plane = x.template data<T>() + p * in.total;
      int64_t result = p * out.total;
      for (int64_t d : first[0])
        for (int64_t h : first[1])
          for (int64_t w : first[2]) {
            C best = -C(__builtin_inf());
            int64_t where = (d * in.size[1] + h) * in.size[2] + w;
            for (int64_t a = d; a < d + size[0]; ++a)
              for (int64_t b = h; b < h + size[1]; ++b)
                for (int64_t c = w; c < w + size[2]; ++c) {
                  const int64_t at = (a * in.size[1] + b) * in.size[2] + c;
                  const C value = C(plane[at]);
                  if (value > best || value != value) best = value, where = at;
                }
            values.data<T>()[result] = T(best);
            indices.data<int64_t>()[result++] = where;
          }
    });
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
