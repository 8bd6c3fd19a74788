// Sums of half types in float, where AVX2 is there: widened in registers, to the bits of 32 running sums side by side.
#pragma once

#include <cstdint>

#include "core/half.h"

namespace mt::cpu {

bool has_half_sums();
// Of a dense run of at least 32 elements: element i is added to the sum i % 32, and those are merged by halves.
float half_sum(const Half* data, int64_t n);
float half_sum(const BFloat16* data, int64_t n);
// totals[j] = 0 + data[j] + the element `stride` bytes further, ..., over all rows.
void half_column_sums(const Half* data, int64_t rows, int64_t stride, int64_t columns, float* totals);
void half_column_sums(const BFloat16* data, int64_t rows, int64_t stride, int64_t columns, float* totals);

}  // namespace mt::cpu
