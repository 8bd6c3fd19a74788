// Integers drawn from a generator's stream, for random_ and randint.
#pragma once

#include "rules/random/random.h"

namespace mt {

// Fills with integers from [from, to), or from `from` to the largest integer up to which the dtype represents all. Makes torch's checks of
// the bounds; bounds that a float type rounds are moved inwards.
void fill_with_integers(const Tensor& self, int64_t from, std::optional<int64_t> to, Generator* generator);
// Fills with integers from the dtype's whole range.
void fill_with_integers(const Tensor& self, Generator* generator);

}  // namespace mt
