// Poolings into as many windows as are asked for, over the last `n` dimensions, two or three: checks, sizes and loops.
#pragma once

#include "rules/pooling.h"

namespace mt {

// torch's check that sizes from dimension `first` on are not 0, in the words of the function `name` + n + "d" + `suffix`.
void check_non_empty(const Tensor& t, int64_t first, const char* argument, const char* name, int64_t n, const char* suffix);

// The means of the windows, and its adjoint. `kernel` is, here and below, the name in the texts of dtype errors.
void adaptive_avg_pool_specs(Specs& out, const Tensor& self, int64_t n, IntList output_size);
void adaptive_avg_pool(const char* kernel, const Tensor& self, int64_t n, Tensor& out);
void adaptive_avg_pool_backward_specs(Specs& out, const Tensor& grad, const Tensor& self, int64_t n);
void adaptive_avg_pool_backward(const char* kernel, const Tensor& grad, int64_t n, Tensor& out);

// The largest elements of the windows and their places; add_at_places is the adjoint.
void adaptive_max_pool_specs(Specs& out, const Tensor& self, int64_t n, IntList output_size);
void adaptive_max_pool(const char* kernel, const Tensor& self, int64_t n, Tensor& values, Tensor& places);
void adaptive_max_pool_backward_specs(Specs& out, const Tensor& grad, const Tensor& self, const Tensor& places, int64_t n);

}  // namespace mt
