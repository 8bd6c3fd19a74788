// Structured rules whose out= must have the result's dtype: products, gather and other operators for which torch does not convert.
#pragma once

#include "rules/form/rule.h"

namespace mt {

struct ExactOut {
  const char* dtype_text = nullptr;  // torch's special message; may contain the result's dtype and out's
  bool self_expands = false;         // the first argument must expand to the result; in place it must have the result's size
  bool refuses_overlap = false;      // out must not overlap itself or an argument, even after resizing
  bool over_first = false;           // the kernel may overwrite the first argument: it reads each element before it writes it
};
const Rule* structured_exact_rule(BoxedKernel infer, ExactOut out);
template <class F>
const Rule* structured_exact(F f, ExactOut out = {}) {
  return structured_exact_rule(BoxedKernel(f), out);
}

}  // namespace mt
