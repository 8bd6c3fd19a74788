// Max pooling over windows with pseudo-random starts (Graham 2014), over the last `n` dimensions, two or three.
#pragma once

#include "rules/pool/pooling.h"

namespace mt {

// `kernel` is the kernel's name in messages of dtype errors. `samples`: an offset in [0, 1) for each image, channel and dimension.
void fractional_max_pool_specs(Specs& out, const Tensor& self, int64_t n, IntList window, IntList output_size, const Tensor& samples);
void fractional_max_pool(const char* kernel, const Tensor& self, int64_t n, IntList window, const Tensor& samples, Tensor& values,
                         Tensor& indices);
void fractional_max_pool_backward_specs(Specs& out, const Tensor& grad, const Tensor& self, int64_t n, IntList output_size,
                                        const Tensor& indices);

}  // namespace mt
