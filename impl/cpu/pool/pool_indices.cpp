// Max pooling window by window, and gradients at the indices of max pooling.
#include "cpu/pool/pool_indices.h"

#include <algorithm>

#include "core/dispatch_dtype.h"
#include "core/error.h"
#include "cpu/clones.h"
#include "cpu/rows/lanes.h"

namespace mt::cpu {
namespace {

// Calls f(offset of the line's first element) for each input line that the results of row `r` read.
template <class F>
void for_input_lines(const PoolWindows& windows, int64_t r, F&& f) {
  const int64_t rows = int64_t(windows.along[1].size());
  const PoolSpan &d = windows.along[0][size_t(r / rows)], &h = windows.along[1][size_t(r % rows)];
  for (int64_t i = d.first; i < d.first + d.count; ++i)
    for (int64_t j = h.first; j < h.first + h.count; ++j) f((i * windows.in[1] + j) * windows.in[2]);
}
// The starts of the windows: steps of alpha from a random offset, rounded down in the dtype's own precision; the last window ends at the
// edge.
template <class T>
std::vector<int64_t> list_starts(T sample, int64_t in, int64_t out, int64_t kernel) {
  std::vector<int64_t> list(size_t(out), 0);
  if (out == 0) return list;
  if (out > 1) {
    const T alpha = T(ComputeType<T>(T(ComputeType<T>(in - kernel))) / ComputeType<T>(T(ComputeType<T>(out - 1))));
    auto at = [&](int64_t i) {
      const T shifted = T(ComputeType<T>(T(ComputeType<T>(i))) + ComputeType<T>(sample));
      return int64_t(ComputeType<T>(T(ComputeType<T>(shifted) * ComputeType<T>(alpha))));
    };
    for (int64_t i = 0; i + 1 < out; ++i) list[size_t(i)] = std::clamp<int64_t>(at(i) - at(0), 0, in - kernel);
  }
  list[size_t(out - 1)] = in - kernel;
  return list;
}

// The largest index; a negative one counts as larger than all others.
struct HighestIndex {
  static void run(const int64_t* indices, int64_t count, uint64_t* highest_index) {
    constexpr int lanes = 16;
    const auto larger = [](uint64_t a, uint64_t b) { return a > b ? a : b; };
    uint64_t highest[lanes] = {};
    walk_lanes<uint64_t, lanes>(count, [&](int j, int64_t i) { highest[j] = larger(highest[j], uint64_t(indices[i])); });
    *highest_index = merge_lanes<lanes / 2>(highest, larger);
  }
};
// With AVX-512 as well, unlike other kernels of integers: AVX2 has no unsigned maximum.
auto choose_highest_index() {
  return cpu_capability() == Capability::avx512 ? detail::run_avx512<HighestIndex, const int64_t*, int64_t, uint64_t*>
                                                : detail::choose_clone<HighestIndex>(HighestIndex::run);
}
// Adds each gradient to the pixel at its index, for rows of `count` channels; pixels are `pitch` elements apart. With a constant Count the
// two loops become one.
template <int64_t Count, class T>
[[gnu::noinline]] void add_at_picked_indices(const T* grad, const int64_t* pixel, int64_t rows, int64_t count, T* image, int64_t pitch) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < (Count ? Count : count); ++c, ++grad, ++pixel) {
      T& sum = image[*pixel * pitch + c];
      sum = T(ComputeType<T>(sum) + ComputeType<T>(*grad));
    }
}
// Adds gradients in blocks to images, whose pixels are zeroed just before they are first written.
template <class T>
struct AddAtIndices {
  static constexpr int64_t block = 256;
  const int64_t pixels;
  const T* const grad;
  const int64_t* const place;
  void (*const highest)(const int64_t*, int64_t, uint64_t*) = choose_highest_index();

  // Adds the gradients from number `i` on.
  void operator()(int64_t i, int64_t rows, int64_t count, T* image, int64_t pitch, ClearedPixels<T>& cleared) const {
    uint64_t top;
    highest(place + i, rows * count, &top);
    if (top >= uint64_t(pixels)) fail("invalid max index {}: the plane has {} elements", int64_t(top), pixels);
    cleared.clear_until(int64_t(top) + 1);
    (count == 1 ? add_at_picked_indices<1, T> : add_at_picked_indices<0, T>)(grad + i, place + i, rows, count, image, pitch);
  }
};

}  // namespace

template <class T>
void max_pool_by_windows(const PoolWindows& windows, int64_t planes, const T* x, T* y, int64_t* place) {
  using C = ComputeType<T>;
  const int64_t heights = int64_t(windows.along[1].size()), rows = int64_t(windows.along[0].size()) * heights;
  const int64_t width = int64_t(windows.along[2].size()), in_size = windows.in_size();
  for_row_pieces(planes * rows, in_size / std::max<int64_t>(1, heights), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t r = row % rows;
      const T* const plane = x + row / rows * in_size;
      for (int64_t w = 0; w < width; ++w) {
        const PoolSpan& span = windows.along[2][size_t(w)];
        C best = -C(__builtin_inf());
        int64_t where = -1;
        for_input_lines(windows, r, [&](int64_t line) {
          if (where < 0) where = line + span.first;
          for (int64_t i = line + span.first; i < line + span.first + span.count; ++i) {
            const C value = C(plane[i]);
            if (value > best || value != value) best = value, where = i;
          }
        });
        y[row * width + w] = T(best);
        place[row * width + w] = where;
      }
    }
  });
}

template <class T>
void fractional_max_pool(const FractionalPool& pool, const T* x, const T* samples, T* y, int64_t* place) {
  using C = ComputeType<T>;
  const int n = pool.n, lead = 3 - n;
  const int64_t in_size = pool.in_size(), out_size = pool.out_size();
  for_row_pieces(pool.planes, in_size + out_size, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      std::vector<int64_t> first[3];
      for (int i = 0; i < 3; ++i) first[i].assign(size_t(pool.out[i]), 0);
      const T* offsets = samples + p * n;
      // torch assigns the samples of two dimensions from the last to the first, those of three in order.
      for (int i = 0; i < n; ++i)
        first[lead + i] = list_starts(offsets[n == 2 ? 1 - i : i], pool.in[lead + i], pool.out[lead + i], pool.window[lead + i]);
      const T* plane = x + p * in_size;
      int64_t result = p * out_size;
      for (int64_t d : first[0])
        for (int64_t h : first[1])
          for (int64_t w : first[2]) {
            C best = -C(__builtin_inf());
            int64_t where = (d * pool.in[1] + h) * pool.in[2] + w;
            for (int64_t a = d; a < d + pool.window[0]; ++a)
              for (int64_t b = h; b < h + pool.window[1]; ++b)
                for (int64_t c = w; c < w + pool.window[2]; ++c) {
                  const int64_t at = (a * pool.in[1] + b) * pool.in[2] + c;
                  const C value = C(plane[at]);
                  if (value > best || value != value) best = value, where = at;
                }
            y[result] = T(best);
            place[result++] = where;
          }
    }
  });
}

template <class T>
void add_at_indices(IndexedPlanes shape, const T* grad, const int64_t* place, T* image) {
  const AddAtIndices<T> add{shape.pixels, grad, place};
  for_row_pieces(shape.planes, shape.pixels + shape.indices, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      T* const plane = image + p * shape.pixels;
      ClearedPixels<T> cleared(plane, 1, 1);
      for (int64_t i = 0; i < shape.indices; i += add.block)
        add(p * shape.indices + i, std::min(add.block, shape.indices - i), 1, plane, 1, cleared);
      cleared.clear_until(shape.pixels);
    }
  });
}

template <class T>
void add_at_indices_channels_last(IndexedPlanes shape, int64_t channels, const T* grad, const int64_t* place, T* image) {
  const AddAtIndices<T> add{shape.pixels, grad, place};
  for_channel_pieces(shape.planes, channels, shape.pixels + shape.indices, [&](int64_t k, int64_t first, int64_t count) {
    T* const pixels = image + k * shape.pixels * channels + first;
    ClearedPixels<T> cleared(pixels, channels, count);
    const int64_t together = count == channels ? std::max<int64_t>(1, add.block / count) : 1;  // whole rows are contiguous
    for (int64_t r = 0; r < shape.indices; r += together)
      add((k * shape.indices + r) * channels + first, std::min(together, shape.indices - r), count, pixels, channels, cleared);
    cleared.clear_until(shape.pixels);
  });
}

#define MT_INSTANTIATE(T)                                                                        \
  template void max_pool_by_windows<T>(const PoolWindows&, int64_t, const T*, T*, int64_t*);     \
  template void fractional_max_pool<T>(const FractionalPool&, const T*, const T*, T*, int64_t*); \
  template void add_at_indices<T>(IndexedPlanes, const T*, const int64_t*, T*);                  \
  template void add_at_indices_channels_last<T>(IndexedPlanes, int64_t, const T*, const int64_t*, T*);
MT_INSTANTIATE(float)
MT_INSTANTIATE(double)
MT_INSTANTIATE(Half)
MT_INSTANTIATE(BFloat16)
#undef MT_INSTANTIATE

}  // namespace mt::cpu
