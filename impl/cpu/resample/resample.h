// Resampling of images along their dimensions, given the taps of each: [outer][spatial...][inner], contiguous.
#pragma once

#include "core/dtype.h"
#include "cpu/resample/resample_taps.h"

namespace mt::cpu {

// If a plane has fewer input rows than output rows, resamples each input row once and then computes weighted sums of rows; otherwise sums
// rows first, and resamples the sums. Half types are converted to float row by row. Dtypes are C or half types.
template <class C>
void resample_planes(const void* in, Dtype in_dtype, void* out, Dtype out_dtype, const std::vector<Taps<C>>& taps, int64_t outer,
                     int64_t inner);

// Resamples to nearest neighbours, which only moves elements.
template <class T>
void move_nearest(const T* in, T* out, const std::vector<Taps<float>>& taps, int64_t outer, int64_t inner);

// Bytes are weighted in fixed point with as many bits as the largest weight leaves in 16, last dimension first, rounding to bytes in
// between.
void resample_bytes(const uint8_t* in, uint8_t* out, const std::vector<Taps<double>>& taps, int64_t outer, int64_t inner);

// Divides the sums in row `row` of a plane of outputs by the number of their taps, one dimension after the other.
template <class C>
void divide_by_tap_counts(const std::vector<Taps<C>>& taps, int64_t row, C* values) {
  C across[3] = {1, 1, 1};
  for (size_t d = taps.size() - 1; d-- > 0; row /= taps[d].places) across[d] = C(taps[d].count[size_t(row % taps[d].places)]);
  const int32_t* const along = taps.back().count.data();
  for (int64_t i = 0; i < taps.back().places; ++i) values[i] = values[i] / across[0] / across[1] / C(along[i]);
}

}  // namespace mt::cpu
