// What all poolings share: results' sizes and memory formats, and what was picked; and the poolings of windows at regular distances.
#pragma once

#include <optional>
#include "cpu/pool.h"
#include "rules/convolution.h"
#include "rules/exact_out.h"
#include "rules/rows.h"

namespace mt {

// ---- windows at regular distances, over the last `n` dimensions, two or three ----

enum class Pooling : int8_t { max, avg };
struct Window {
  Pooling kind;
  int64_t n;
  Dims kernel, stride, padding, dilation;
  bool ceil_mode;
};
struct Averaging : Window {
  cpu::PoolDivisor divisor;
};
// The arguments of max_pool2d and max_pool3d, and of avg_pool2d and avg_pool3d: one number for all dimensions or one for each.
Window max_window(int64_t n, IntList kernel, IntList stride, IntList padding, IntList dilation, bool ceil_mode);
Averaging averaging(int64_t n, IntList kernel, IntList stride, IntList padding, bool ceil_mode, bool count_include_pad,
                    const std::optional<int64_t>& divisor);
cpu::PoolShape pool_shape(IntList input, IntList output, const Window& window);

// The largest elements and their places. `kernel` is, here and below, the name in the texts of dtype errors.
void max_pool_specs(Specs& out, const Tensor& self, const Window& window);
void max_pool(const char* kernel, const Tensor& self, const Window& window, Tensor& values, Tensor& places);
void max_pool_backward_specs(Specs& out, const Tensor& grad, const Tensor& self, const Window& window, const Tensor& places);
// The means; torch refuses half types over three dimensions.
void avg_pool_specs(Specs& out, const Tensor& self, const Averaging& averaging);
void avg_pool(const char* kernel, const Tensor& self, const Averaging& averaging, Tensor& out);
void avg_pool_backward_specs(Specs& out, const Tensor& grad, const Tensor& self, const Averaging& averaging);
void avg_pool_backward(const char* kernel, const Tensor& grad, const Averaging& averaging, Tensor& out);

// ---- places: what maximum pooling picked, as indices within a plane of the last `n` dimensions ----

// Adds each gradient at its place, 0 elsewhere: the adjoint of picking.
void add_at_indices(const char* kernel, const Tensor& grad, const Tensor& places, int64_t n, Tensor& out);
// What each place holds: the derivative of the above with respect to grad, and of picking itself.
Tensor gather_at_indices(const Tensor& values, const Tensor& places, int64_t n);
// A new tensor with each value at its place, 0 elsewhere; the body of max_unpool2d and max_unpool3d after their own checks.
Tensor unpool(const char* kernel, const Tensor& self, const Tensor& places, int64_t n, IntList output_size);

// ---- for poolings of every kind ----

// A result in the input's memory format.
void add_like(Specs& out, const Tensor& self, IntList sizes, Dtype dtype);
// The same where `n` is 2; torch has most results over three dimensions contiguous.
void add_like_planes(Specs& out, const Tensor& self, IntList sizes, int64_t n, Dtype dtype);
// `sizes` with the last ones replaced by `spatial`.
Dims with_spatial(IntList sizes, IntList spatial);
// Runs f(contiguous tensor) on `out` itself or on a copy that is then stored.
template <class F>
void with_contiguous(Tensor& out, F&& f) {
  if (out.is_contiguous()) return f(out);
  Tensor plain = empty(out.sizes(), out.dtype());
  f(plain);
  const MemoryFormat format = out.suggested_memory_format();
  copy_into(out, format != MemoryFormat::contiguous && out.is_contiguous(format) ? in_format(plain, format) : plain);
}

// Whether both lie in the channels-last order of `n` dimensions.
bool are_channels_last(const Tensor& input, const Tensor& output, int64_t n);
// What an adjoint is handed, in the order of its result: channels-last where that is, else contiguous.
Tensor ordered_like(const Tensor& grad, const Tensor& result, int64_t n);

void check_same_dtype(const Tensor& grad, const Tensor& self, const char* name);
// Sizes of a tensor's last `n` dimensions, with leading ones to make three.
struct Spatial {
  int64_t size[3] = {1, 1, 1};
  int64_t total = 1, planes;
  Spatial(IntList sizes, int64_t n) {
    planes = 1;
    for (int64_t i = 0; i < sizes.size() - n; ++i) planes *= sizes[i];
    for (int64_t i = 0; i < n; ++i) total *= size[3 - n + i] = sizes[sizes.size() - n + i];
  }
};

}  // namespace mt
