// Sobol direction numbers (S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections", 2008).
#pragma once

#include <cstdint>

namespace mt::cpu {

constexpr int64_t sobol_bits = 30, sobol_dimensions = 21201;

// Writes `dimensions` rows of sobol_bits direction numbers. Direction number i is what to XOR into a point if bit i is the rightmost zero
// of its index.
void sobol_directions(int64_t dimensions, int64_t* out);

// The number of the rightmost zero bit of an index, which selects the direction number.
inline int changed_sobol_bit(uint64_t index) { return __builtin_ctzll(~index); }

}  // namespace mt::cpu
