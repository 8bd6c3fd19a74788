// Pooling to a requested output size over the last `n` dimensions (two or three): checks and sizes.
#pragma once

#include "rules/pool/pooling.h"

namespace mt {

// Checks that no size from dimension `first` on is 0; the error message names the function `name` + n + "d" + `suffix`.
void check_non_empty(const Tensor& t, int64_t first, const char* argument, const char* name, int64_t n, const char* suffix);

// Average pooling and its gradient. `kernel`, here and below, is the kernel's name in messages of dtype errors.
void adaptive_avg_pool_specs(Specs& out, const Tensor& self, int64_t n, IntList output_size);
void adaptive_avg_pool(const char* kernel, const Tensor& self, int64_t n, Tensor& out);
void adaptive_avg_pool_backward_specs(Specs& out, const Tensor& grad, const Tensor& self, int64_t n);
void adaptive_avg_pool_backward(const char* kernel, const Tensor& grad, int64_t n, Tensor& out);

// Max pooling with indices; add_at_indices (pooling.h) computes its gradient.
void adaptive_max_pool_specs(Specs& out, const Tensor& self, int64_t n, IntList output_size);
void adaptive_max_pool(const char* kernel, const Tensor& self, int64_t n, Tensor& values, Tensor& indices);
void adaptive_max_pool_backward_specs(Specs& out, const Tensor& grad, const Tensor& self, const Tensor& indices, int64_t n);

}  // namespace mt
