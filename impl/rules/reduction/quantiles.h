// Shared by quantile and nanquantile: sorts, picks by rank, and interpolates between neighbours.
#pragma once

#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {

// `skip_nan`: ignores NaN; otherwise a line with NaN returns NaN.
Tensor compute_quantiles(bool skip_nan, const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim, Text interpolation);
// q as a tensor, after a check of its range.
Tensor quantile_number(double q, const Tensor& self);

// The out= policy that both operators share.
inline constexpr OutPolicy quantile_out{.dtype_error = "quantile() out tensor must be same dtype as the input tensor",
                                        .device_error = "quantile() out tensor must be on the same device as the input tensor",
                                        .recorded_as = written_as_leaf};

}  // namespace mt
