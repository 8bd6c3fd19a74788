// Sums of half types in float for AVX2: widened in registers, with the same bits as 32 parallel running sums.
#pragma once

#include <cstdint>

#include "core/half.h"

namespace mt::cpu {

bool has_half_sums();
// The sum of a contiguous run of at least 32 elements: element i is added to sum i % 32; the sums are then merged by halves.
float half_sum(const Half* data, int64_t n);
float half_sum(const BFloat16* data, int64_t n);
// totals[j] = 0 + data[j] + the element `stride` bytes further, ..., over all rows.
void half_column_sums(const Half* data, int64_t rows, int64_t stride, int64_t columns, float* totals);
void half_column_sums(const BFloat16* data, int64_t rows, int64_t stride, int64_t columns, float* totals);

}  // namespace mt::cpu
