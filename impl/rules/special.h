// What special functions share: the dtypes that most of them have, and functions of doubles.
#pragma once

#include "cpu/vecmath_special.h"
#include "rules/algebra.h"
#include "rules/pointwise.h"

namespace mt {

inline constexpr Dtypes float_and_double{dtype_bit(Dtype::float32) | dtype_bit(Dtype::float64)};

using cpu::vec::chebyshev_sum;

}  // namespace mt
