// Shared by all pooling: results' sizes and memory formats, and the indices of max pooling; and pooling with regularly spaced windows.
#pragma once

#include <optional>
#include "cpu/pool/pool.h"
#include "rules/conv/convolution.h"
#include "rules/form/exact_out.h"
#include "rules/reduction/rows.h"

namespace mt {

// ---- regularly spaced windows over the last `n` dimensions, two or three ----

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
// The arguments of max_pool2d and max_pool3d, and of avg_pool2d and avg_pool3d: one number for all dimensions, or one per dimension.
Window max_window(int64_t n, IntList kernel, IntList stride, IntList padding, IntList dilation, bool ceil_mode);
Averaging averaging(int64_t n, IntList kernel, IntList stride, IntList padding, bool ceil_mode, bool count_include_pad,
                    const std::optional<int64_t>& divisor);
cpu::PoolShape pool_shape(IntList input, IntList output, const Window& window);

// Max pooling with indices. `kernel`, here and below, is the kernel's name in messages of dtype errors.
void max_pool_specs(Specs& out, const Tensor& self, const Window& window);
void max_pool(const char* kernel, const Tensor& self, const Window& window, Tensor& values, Tensor& indices);
void max_pool_backward_specs(Specs& out, const Tensor& grad, const Tensor& self, const Window& window, const Tensor& indices);
// Average pooling; torch refuses half types in three dimensions.
void avg_pool_specs(Specs& out, const Tensor& self, const Averaging& averaging);
void avg_pool(const char* kernel, const Tensor& self, const Averaging& averaging, Tensor& out);
void avg_pool_backward_specs(Specs& out, const Tensor& grad, const Tensor& self, const Averaging& averaging);
void avg_pool_backward(const char* kernel, const Tensor& grad, const Averaging& averaging, Tensor& out);

// ---- the indices of max pooling, within a plane of the last `n` dimensions ----

// Fills `out` with zeros, then adds each gradient at its index: the gradient of max pooling.
void add_at_indices(const char* kernel, const Tensor& grad, const Tensor& indices, int64_t n, Tensor& out);
// Gathers the value at each index: the derivative of add_at_indices with respect to grad, and of max pooling with respect to its input.
Tensor gather_at_indices(const Tensor& values, const Tensor& indices, int64_t n);
// A new tensor with each value at its index, 0 elsewhere; the body of max_unpool2d and max_unpool3d after their own checks.
Tensor unpool(const char* kernel, const Tensor& self, const Tensor& indices, int64_t n, IntList output_size);

// ---- for all kinds of pooling ----

// Adds a result of these sizes in the memory format of `self`.
void add_in_format_of(Specs& out, const Tensor& self, IntList sizes, Dtype dtype);
// As add_in_format_of in two dimensions; in three, a contiguous result, as torch makes most of them.
void add_in_format_of_planes(Specs& out, const Tensor& self, IntList sizes, int64_t n, Dtype dtype);
// Returns `sizes` with the last ones replaced by `spatial`.
Dims replace_spatial_sizes(IntList sizes, IntList spatial);
// Runs f(contiguous tensor) on `out` itself, or on a copy that is then stored in `out`.
template <class F>
void with_contiguous(Tensor& out, F&& f) {
  if (out.is_contiguous()) return f(out);
  Tensor plain = empty(out.sizes(), out.dtype());
  f(plain);
  const MemoryFormat format = out.suggested_memory_format();
  copy_into(out, format != MemoryFormat::contiguous && out.is_contiguous(format) ? copy_into_format(plain, format) : plain);
}

// Whether both are channels-last in `n` dimensions.
bool are_channels_last(const Tensor& input, const Tensor& output, int64_t n);
// The incoming gradient, copied if need be into the memory order of its result: channels-last if the result is, otherwise contiguous.
Tensor copy_into_order_of(const Tensor& grad, const Tensor& result, int64_t n);

void check_same_dtype(const Tensor& grad, const Tensor& self, const char* name);
// Sizes of a tensor's last `n` dimensions, extended in front to three.
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
