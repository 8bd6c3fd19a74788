// Structured rules whose out= takes no other dtype than the result's: products, gather and what else torch does not convert for.
#pragma once

#include "rules/rule.h"

namespace mt {

const Rule* structured_exact_rule(BoxedKernel infer);
template <class F>
const Rule* structured_exact(F f) {
  return structured_exact_rule(BoxedKernel(f));
}

}  // namespace mt
