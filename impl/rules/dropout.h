// The dropout family: what all four kinds share.
#pragma once

#include "rules/algebra.h"

namespace mt {

enum class Dropped : int8_t { elements, channels };        // what is drawn for: each element, or each channel of each sample
enum class Replacement : int8_t {
  zero,
  negative_limit
};  // what stands in the gaps: zero, or the limit of SELU (Klambauer et al. 2017, section 3)

// `input` times noise (plus an offset), as a new tensor. Nothing is drawn where there is nothing to drop.
Tensor drop_out(const Tensor& input, double p, bool train, Dropped what, Replacement how);
// The same in place.
void drop_out_in_place(const Tensor& self, double p, bool train, Dropped what, Replacement how);

}  // namespace mt
