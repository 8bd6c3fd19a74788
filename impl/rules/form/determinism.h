// torch.use_deterministic_algorithms: refuses operators without a fixed order, and fills new memory.
#pragma once

#include <limits>

#include "core/options.h"
#include "definition/op.h"

namespace mt {

// Raises, or warns if requested: `operation` is torch's name for the nondeterministic operation.
inline void check_deterministic(const char* operation) {
  if (!get_option(MT_OPTION_DETERMINISTIC)) return;
  if (get_option(MT_OPTION_DETERMINISTIC_WARN_ONLY))
    return warn(
        "{} does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True, warn_only=True)'. You can "
        "file an issue at https://github.com/pytorch/pytorch/issues to help us prioritize adding deterministic support for this operation.",
        operation);
  fail(
      "{} does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True)'. You can turn off "
      "determinism just for this operation, or you can use the 'warn_only=True' option, if that's acceptable for your application. You "
      "can also file an issue at https://github.com/pytorch/pytorch/issues to help us prioritize adding deterministic support for this "
      "operation.",
      operation);
}

inline bool must_fill_new_memory() { return get_option(MT_OPTION_DETERMINISTIC) && get_option(MT_OPTION_DETERMINISTIC_FILL); }

// Fills uninitialised memory in deterministic mode: with NaN, or with the largest number of an integer dtype.
inline Tensor fill_new_memory(Tensor t) {
  if (!must_fill_new_memory() || t.is_meta() || t->sparse || t.numel() == 0) return t;
  BelowAutograd guard;
  const Dtype d = t.dtype();
  if (!is_integral(d, true))
    op<"fill_">(t, std::numeric_limits<double>::quiet_NaN());
  else if (d == Dtype::boolean || is_unsigned(d))
    op<"fill_">(t, d == Dtype::boolean ? int64_t(1) : int64_t(-1));  // all bits set
  else
    op<"fill_">(t, std::numeric_limits<int64_t>::max() >> (64 - 8 * element_size(d)));
  return t;
}

}  // namespace mt
