// The numbers between which clamp holds elements.
#pragma once

#include "rules/algebra.h"
#include "rules/pointwise.h"

namespace mt {

// Bounds take part in promotion, and must be numbers of the promoted dtype as well. A meta tensor reads none.
inline void check_bounds_fit(const Call& c) {
  if (c.keys & key_bit(Key::meta)) return;
  Tensor operands[3];
  int n = 0;
  for (; n < 3 && n < c.op.functional->n_args; ++n) operands[n] = detail::tensor_of(c.args[n]);
  const Dtype dtype = result_type(operands, n);
  const Tensor& self = operands[0];
  bool have_number = false;
  for (int i = 1; i < n; ++i) have_number |= c.args[i].tag != MT_TAG_TENSOR;
  check(!have_number || c.op.form != Form::inplace || dtype == self.dtype(),
        "result type {} can't be cast to the desired output type {}", dtype, ScalarName(self.dtype()));
  for (int i = 1; i < n; ++i)
    if (c.args[i].tag != MT_TAG_TENSOR) Scalar::of_value(c.args[i]).check_fits(dtype);
}

}  // namespace mt
