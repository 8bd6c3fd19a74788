// Integers drawn from a generator's stream, for random_ and randint.
#pragma once

#include "rules/random.h"

namespace mt {

// Fills with numbers from [from, to), or from `from` to the largest that the dtype counts up to; torch's checks of the bounds.
// Bounds that a float rounds move inwards.
void fill_with_whole_numbers(const Tensor& self, int64_t from, std::optional<int64_t> to, Generator* generator);
// Fills over the dtype's range.
void fill_with_whole_numbers(const Tensor& self, Generator* generator);

}  // namespace mt
