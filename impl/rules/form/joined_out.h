// out= of operators that join tensors: converts the dtype, and raises cat's error messages if that is not possible.
#pragma once

#include "rules/form/checked.h"
#include "rules/form/one_device.h"
#include "rules/form/overlap.h"

namespace mt {

// Raises if a result of the parts' device cannot be copied to `out`. Must run before the rule replaces the arguments of a meta call by meta
// tensors.
inline void refuse_copy_to_out(const Call& call) {
  const TensorList parts = Unbox<TensorList>::from(call.args[0]);
  if (!parts.empty()) check_copy_device(parts[0].device(), Unbox<Tensor>::from(call.args[call.op.n_args - 1]).device());
}
inline void store_joined(const Tensor& out, const Tensor& joined, TensorList parts) {
  check_copy_device(joined.device(), out.device());
  check(can_cast(joined.dtype(), out.dtype()), ErrorKind::type, "torch.cat(): input types can't be cast to the desired output type {}",
        out.dtype());
  resize_output(out, joined.sizes());
  check_no_overlap(out, parts);
  store_result(out, joined);
}

}  // namespace mt
