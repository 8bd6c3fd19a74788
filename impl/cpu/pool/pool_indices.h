// Max pooling window by window, and the indices of max pooling: gradients are added there, values are stored there.
#pragma once

#include "cpu/pool/pool.h"
#include "cpu/rows/wide_rows.h"

namespace mt::cpu {

// The largest element of each window and its index in the plane, as max_pool, for planes with arbitrary windows. Half types, float and
// double, here and below.
template <class T>
void max_pool_by_windows(const PoolWindows& windows, int64_t planes, const T* x, T* y, int64_t* place);

// Windows of one size in the last `n` of three dimensions, two or three, with pseudo-random starts: `samples` has n offsets in [0, 1) for
// each plane.
struct FractionalPool {
  int64_t planes;
  int n;
  int64_t in[3], out[3], window[3];
  int64_t in_size() const { return in[0] * in[1] * in[2]; }
  int64_t out_size() const { return out[0] * out[1] * out[2]; }
};
template <class T>
void fractional_max_pool(const FractionalPool& pool, const T* x, const T* samples, T* y, int64_t* place);

// Planes of `pixels` elements, and in each `indices` numbers with their indices; for channels-last images, `planes` are the images.
struct IndexedPlanes {
  int64_t planes, pixels, indices;
};
// Fills `image` with zeros, then adds each gradient at its index. Raises for an index outside the plane.
template <class T>
void add_at_indices(IndexedPlanes shape, const T* grad, const int64_t* place, T* image);
template <class T>
void add_at_indices_channels_last(IndexedPlanes shape, int64_t channels, const T* grad, const int64_t* place, T* image);

// Fills `image` with zeros, then stores each value at its index. Calls refuse(index), which must raise, for an index outside the plane.
template <class T, class F>
void store_at_indices(IndexedPlanes shape, const T* values, const int64_t* place, T* image, F&& refuse) {
  for_row_pieces(shape.planes, shape.indices + shape.pixels, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      T* const plane = image + p * shape.pixels;
      const T* const from = values + p * shape.indices;
      const int64_t* const own = place + p * shape.indices;
      std::fill_n(plane, shape.pixels, T(0));
      for (int64_t i = 0; i < shape.indices; ++i) {
        if (uint64_t(own[i]) >= uint64_t(shape.pixels)) refuse(own[i]);
        plane[own[i]] = from[i];
      }
    }
  });
}

}  // namespace mt::cpu
