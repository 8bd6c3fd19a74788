// The dropout family: code that all four variants share.
#pragma once

#include "rules/form/algebra.h"

namespace mt {

enum class DropUnit : int8_t { elements, channels };        // what one draw decides about: an element, or a channel of a sample
enum class Replacement : int8_t {
  zero,
  negative_limit
};  // the replacement of dropped values: zero, or the limit of SELU (Klambauer et al. 2017, section 3)

// `input` times noise (plus an offset), as a new tensor. Draws nothing if nothing is dropped.
Tensor drop_out(const Tensor& input, double p, bool train, DropUnit what, Replacement how);
// As drop_out, in place.
void drop_out_in_place(const Tensor& self, double p, bool train, DropUnit what, Replacement how);

}  // namespace mt
