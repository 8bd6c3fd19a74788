// Structured rules whose out= takes no other dtype than the result's: products, gather and what else torch does not convert for.
#pragma once

#include "rules/rule.h"

namespace mt {

struct ExactOut {
  const char* dtype_text = nullptr;  // torch's text where it has one of its own; may name the result's dtype and out's
  bool self_expands = false;         // the first argument has to expand to the result; in place it has to have its size
  bool refuses_overlap = false;                // out shares memory neither with itself nor with an argument, however it is resized
  bool over_first = false;           // the kernel may write over the first argument: it reads what an element takes before it writes it
};
const Rule* structured_exact_rule(BoxedKernel infer, ExactOut out);
template <class F>
const Rule* structured_exact(F f, ExactOut out = {}) {
  return structured_exact_rule(BoxedKernel(f), out);
}

}  // namespace mt
