// Sobol direction numbers (S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections", 2008).
#pragma once

#include <cstdint>

namespace mt::cpu {

constexpr int64_t sobol_bits = 30, sobol_dimensions = 21201;

// Writes `dimensions` rows of sobol_bits direction numbers, each shifted to its bit: the change of a point, by the rightmost zero of its
// index.
void sobol_directions(int64_t dimensions, int64_t* out);

// The rightmost zero bit of an index.
inline int changed_sobol_bit(uint64_t index) { return __builtin_ctzll(~index); }

}  // namespace mt::cpu
