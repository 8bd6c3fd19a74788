// fractional_max_pool3d: maximum pooling over windows that begin at pseudo-random places (Graham 2014).
#include <algorithm>
#include <vector>
#include "rules/pooling.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& self, IntList kernel, IntList output_size, const Tensor& samples) {
  check(kernel.size() == 3, "fractional_max_pool3d: kernel_size must either be a single Int or tuple of three Ints");
  check(output_size.size() == 3, "fractional_max_pool3d: output_size must either be a single Int or tuple of three Ints");
  const int64_t dim = self.dim();
  check(dim == 4 || dim == 5, "fractional_max_pool3d_out(): Expected 4D or 5D tensor, but got: {}", self.sizes());
  for (int64_t d = dim - 4; d < dim; ++d)
    check(self.size(d) > 0,
          "fractional_max_pool3d_out(): Expected input to have non-zero size for non-batch dimensions, but got{} with "
          "dimension {} being empty.",
          self.sizes(), d);
  static constexpr const char* names[] = {"time", "height", "width"};
  Dims sizes(IntList(self.sizes().begin(), dim - 3));
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t in = self.size(dim - 3 + i);
    check(int64_t(uint64_t(output_size[i]) + uint64_t(kernel[i]) - 1) <= in && kernel[i] <= in,
          "fractional_max_pool3d_out(): pool {} {} too large relative to input {} {}", names[i], kernel[i], names[i], in);
    sizes.push_back(output_size[i]);
  }
  for (int64_t size : sizes) check(size >= 0, "Trying to create tensor with negative dimension {}: {}", size, sizes);
  for (int64_t k : kernel) check(k >= 0, "fractional_max_pool3d_out(): kernel_size must not be negative, but got {}", kernel);
  check(samples.dtype() == self.dtype(), "Expect _random_samples to have the same dtype as input");
  check(samples.dim() == 3, "Expect _random_samples to have 3 dimensions, got {}", samples.dim());
  check(samples.size(0) >= (dim == 5 ? self.size(0) : 1), "Expect _random_samples.size(0) no less then input batch size.");
  check(samples.size(1) == self.size(dim - 4), "Expect _random_samples.size(1) equals to input channel size.");
  check(samples.size(2) == 3, "Expect _random_samples.size(2) equals to 3; got {}.", samples.size(2));
  out.add(sizes, self.dtype());
  out.add(sizes, Dtype::int64);
};

// Where the windows begin: steps of alpha from a random offset, rounded down in the dtype's own precision; the last one touches the end.
template <class T>
std::vector<int64_t> starts(T sample, int64_t in, int64_t out, int64_t kernel) {
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

constexpr auto kernel = [](const Tensor& self, IntList kernel, IntList, const Tensor& samples, Tensor& values, Tensor& places) {
  dispatch_floating(self.dtype(), "fractional_max_pool3d_out_frame", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Tensor x = dense(self), s = dense(samples);
    const Spatial in(x.sizes(), 3), out(values.sizes(), 3);
    int64_t window[3] = {1, 1, 1};
    for (int64_t i = 0; i < 3; ++i) window[3 - 3 + i] = kernel[i];
    for_rows(in.planes, in.total + out.total, [&](int64_t p) {
      std::vector<int64_t> first[3];
      for (int64_t i = 0; i < 3; ++i) first[i].assign(size_t(out.size[i]), 0);
      for (int64_t i = 0; i < 3; ++i)
        first[3 - 3 + i] = starts(s.template data<T>()[p * 3 + i], in.size[3 - 3 + i], out.size[3 - 3 + i], kernel[i]);
      const T* plane = x.template data<T>() + p * in.total;
      int64_t result = p * out.total;
      for (int64_t d : first[0])
        for (int64_t h : first[1])
          for (int64_t w : first[2]) {
            C best = -C(__builtin_inf());
            int64_t where = (d * in.size[1] + h) * in.size[2] + w;
            for (int64_t a = d; a < d + window[0]; ++a)
              for (int64_t b = h; b < h + window[1]; ++b)
                for (int64_t c = w; c < w + window[2]; ++c) {
                  const int64_t at = (a * in.size[1] + b) * in.size[2] + c;
                  const C value = C(plane[at]);
                  if (value > best || value != value) best = value, where = at;
                }
            values.data<T>()[result] = T(best);
            places.data<int64_t>()[result++] = where;
          }
    });
  });
};

MT_OP(OpDef{
    .schema = {"fractional_max_pool3d(Tensor self, int[3] kernel_size, int[3] output_size, Tensor random_samples) -> "
               "(Tensor, Tensor)"},
    .forms = function | out,
    .doc = "Maximum pooling over windows that begin at pseudo-random places (Graham 2014).",
    .module = "nn",
    .rule = structured_exact(shape),
    .cpu = kernel,
    .grad = {wrt("self",
                 [](Grad g, In<"self"> self, In<"kernel_size", IntList> kernel, In<"output_size", IntList> output_size,
                    Out<"result1"> places) {
                   return op<"fractional_max_pool3d_backward">(g, self, *kernel, *output_size, places);
                 })},
    .grad_name = "FractionalMaxPool3DBackward0",
});

}  // namespace
}  // namespace mt
