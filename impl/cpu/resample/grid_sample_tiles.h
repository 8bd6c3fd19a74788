// Grid sampler kernels for tiles of points: indices and weights axis by axis, then one pass per channel.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "cpu/copy/transpose_block.h"
#include "cpu/resample/grid_sample.h"

namespace mt::cpu {

constexpr int max_taps = 4;

// Maps a coordinate in [-1, 1] to a position in a dimension of `size` elements; `slope` is its derivative.
template <class C>
[[gnu::always_inline]] inline C unnormalise(C x, int64_t size, bool align, C& slope) {
  slope = align ? C(size - 1) / 2 : C(size) / 2;
  return align ? (x + 1) / 2 * C(size - 1) : ((x + 1) * C(size) - 1) / 2;
}
// The position to which padding clips a NaN; `nowhere` keeps it.
enum class NanPosition { first, last, nowhere };
using std::floor, std::nearbyint;

// The indices and weights of a tile of up to `size` points; unused entries hold a valid index and finite weights.
template <class T>
struct TapTile {
  static constexpr int64_t size = 64;
  static constexpr int most_taps = 16;
  int taps, each;               // indices per point, and per axis
  int32_t at[most_taps][size];  // in a channel's plane, -1 outside
  T weight[most_taps][size];    // unused for nearest
  T part[3][max_taps][size];    // the weights of each axis, whose product is `weight`
  T slope[3][max_taps][size];   // their derivatives, if requested
};

// Computes a TapTile in loops that vectorise.
template <class T>
struct FindTaps {
  using Tile = TapTile<T>;
  static constexpr int64_t tile = Tile::size;
  static void run(const T* grid, int64_t count, int rank, const int64_t* sizes, const Sampling* given, bool slopes, Tile* out) {
    const Sampling s = *given;
    const NanPosition nan_position = rank == 2 ? NanPosition::first : slopes ? NanPosition::nowhere : NanPosition::last;
    out->each = s.mode == 2 ? 4 : s.mode == 1 ? 1 : 2;
    out->taps = 1;
    for (int d = 0; d < rank; ++d) out->taps *= out->each;
    T points[3 * tile], x[3][tile];
    int32_t place[3][max_taps][tile];
    if (count < tile) {
      std::fill_n(std::copy_n(grid, count * rank, points), (tile - count) * rank, T(0));
      grid = points;
    }
    if (rank == 2)  // all at once: gcc would read parts of it element by element
      for (int p = 0; p < tile; ++p) x[0][p] = grid[p * 2], x[1][p] = grid[p * 2 + 1];
    else
      for (int p = 0; p < tile; ++p) x[0][p] = grid[p * 3], x[1][p] = grid[p * 3 + 1], x[2][p] = grid[p * 3 + 2];
    for (int d = 0; d < rank; ++d) {
      const int64_t size = sizes[rank - 1 - d];
      const T scale = T(s.align_corners ? size - 1 : size) / 2, shift = s.align_corners ? T(0) : T(0.5);
      for (int p = 0; p < tile; ++p) x[d][p] = (x[d][p] + 1) * scale - shift;
      T cubes[max_taps][tile], unpadded[tile];
      T(*const at)[tile] = s.mode == 2 ? cubes : x + d;
      if (slopes) std::copy_n(x[d], tile, unpadded);
      if (s.mode == 2) cubic_weights(x[d], at, out->part[d]);
      for (int k = 0; k < (s.mode == 2 ? 4 : 1); ++k) {
        pad(at[k], size, s, nan_position);
        for (int p = 0; p < tile; ++p)
          place[d][k][p] = inside(whole(nearbyint(at[k][p])), int32_t(size));  // a cubic's positions are integers
      }
      if (slopes && s.mode != 1) find_slopes(unpadded, at[0], size, s, out->slope[d]);
    }
    const int32_t width = int32_t(sizes[rank - 1]), height = int32_t(sizes[rank - 2]), depth = rank == 3 ? int32_t(sizes[0]) : 1;
    if (s.mode == 0) {
      linear_of_plane(x, width, height, *out);
      if (rank == 3) add_depth(x[2], depth, width * height, *out);
      for (int d = 0; slopes && d < rank; ++d)
        for (int p = 0; p < tile; ++p) out->part[d][1][p] = x[d][p] - floor(x[d][p]), out->part[d][0][p] = 1 - out->part[d][1][p];
      return;
    }
    if (s.mode == 1) {
      for (int p = 0; p < tile; ++p) out->at[0][p] = join(place[0][0][p], place[1][0][p] * width);
      if (rank == 3)
        for (int p = 0; p < tile; ++p) out->at[0][p] = join(out->at[0][p], place[2][0][p] * width * height);
      return;
    }
    for (int k = 0; k < out->taps; ++k) {
      const int32_t *const column = place[0][k % 4], *const line = place[1][k / 4];
      const T *const share = out->part[0][k % 4], *const more = out->part[1][k / 4];
      for (int p = 0; p < tile; ++p) out->at[k][p] = join(column[p], line[p] * width), out->weight[k][p] = share[p] * more[p];
    }
  }

 private:
  // An index, or a negative number (whose product with a width is negative too); whatever is not a valid index, also NaN, is outside.
  [[gnu::always_inline]] static int32_t whole(T place) {
    const T from = place > T(-2) ? place : T(-2);
    return int32_t(from < T(int64_t{1} << 30) ? from : T(int64_t{1} << 30));
  }
  [[gnu::always_inline]] static int32_t inside(int32_t i, int32_t size) { return uint32_t(i) < uint32_t(size) ? i : -1; }
  [[gnu::always_inline]] static int32_t join(int32_t a, int32_t b) { return (a | b) < 0 ? -1 : a + b; }

  // The indices of the two neighbours of a position along one axis (-1: outside), and their weights.
  struct Ends {
    int32_t low, high;
    T near, far;
    [[gnu::always_inline]] Ends(T x, int32_t size, int32_t step) {
      const T first = floor(x);
      const int32_t i = whole(first);
      near = 1 - (x - first), far = x - first;
      low = inside(i, size) * step, high = inside(i + 1, size) * step;
    }
  };
  [[gnu::always_inline]] static void linear_of_plane(const T (*points)[tile], int32_t width, int32_t height, Tile& out) {
    for (int p = 0; p < tile; ++p) {
      const Ends x(points[0][p], width, 1), y(points[1][p], height, width);
      out.at[0][p] = join(x.low, y.low), out.weight[0][p] = x.near * y.near;
      out.at[1][p] = join(x.high, y.low), out.weight[1][p] = x.far * y.near;
      out.at[2][p] = join(x.low, y.high), out.weight[2][p] = x.near * y.far;
      out.at[3][p] = join(x.high, y.high), out.weight[3][p] = x.far * y.far;
    }
  }
  // Extends the taps of a plane by the two neighbouring depths. A tap outside gets weight 0, even if its weight is NaN.
  [[gnu::always_inline]] static void add_depth(const T* z_places, int32_t depth, int32_t plane, Tile& out) {
    for (int k = 0; k < 4; ++k)
      for (int p = 0; p < tile; ++p) {
        const Ends z(z_places[p], depth, plane);
        const int32_t at = out.at[k][p], first = join(at, z.low), second = join(at, z.high);
        const T w = out.weight[k][p];
        out.at[k][p] = first, out.weight[k][p] = first < 0 ? T(0) : w * z.near;
        out.at[4 + k][p] = second, out.weight[4 + k][p] = second < 0 ? T(0) : w * z.far;
      }
  }
  // The four positions that cubic interpolation reads, before padding, and their weights.
  [[gnu::always_inline]] static void cubic_weights(const T* x, T (*at)[tile], T (*share)[tile]) {
    constexpr T a = T(-0.75);
    for (int p = 0; p < tile; ++p) {
      const T first = floor(x[p]) - 1, t = x[p] - floor(x[p]), u = 1 - t, far = t + 1, further = 2 - t;
      at[0][p] = first, at[1][p] = first + 1, at[2][p] = first + 2, at[3][p] = first + 3;
      share[0][p] = ((a * far - 5 * a) * far + 8 * a) * far - 4 * a;
      share[1][p] = ((a + 2) * t - (a + 3)) * t * t + 1;
      share[2][p] = ((a + 2) * u - (a + 3)) * u * u + 1;
      share[3][p] = ((a * further - 5 * a) * further + 8 * a) * further - 4 * a;
    }
  }
  [[gnu::always_inline]] static void pad(T* x, int64_t size, const Sampling& s, NanPosition nan_position) {
    if (s.padding != 1 && s.padding != 2) return;
    const T most = T(size - 1), low = s.align_corners ? T(0) : T(-0.5), twice = 2 * (s.align_corners ? most : T(size));
    if (s.padding == 2)
      for (int p = 0; p < tile; ++p) {
        const T away = x[p] < low ? low - x[p] : x[p] - low, beyond = away - floor(away / twice) * twice;
        x[p] = (beyond < twice - beyond ? beyond : twice - beyond) + low;
      }
    const bool one_place = s.padding == 2 && twice == 0;
    const T of_nan = nan_position == NanPosition::first || one_place ? T(0)
                     : nan_position == NanPosition::last             ? most
                                                                     : std::numeric_limits<T>::quiet_NaN();
    for (int p = 0; p < tile; ++p) x[p] = x[p] > 0 ? (x[p] >= most ? most : x[p]) : x[p] <= 0 ? T(0) : of_nan;
  }
  // The derivatives of the weights along one axis, from the position before and after padding.
  [[gnu::always_inline]] static void find_slopes(const T* x, const T* padded, int64_t size, const Sampling& s, T (*out)[tile]) {
    const T each = T(s.align_corners ? size - 1 : size) / 2;
    if (s.mode == 2) {
      constexpr T a = T(-0.75);
      for (int p = 0; p < tile; ++p) {
        const T t = x[p] - floor(x[p]), u = 1 - t, far = t + 1, further = 2 - t;
        out[0][p] = each * ((3 * a * far - 10 * a) * far + 8 * a);
        out[1][p] = each * ((3 * (a + 2) * t - 2 * (a + 3)) * t);
        out[2][p] = -each * ((3 * (a + 2) * u - 2 * (a + 3)) * u);
        out[3][p] = -each * ((3 * a * further - 10 * a) * further + 8 * a);
      }
      return;
    }
    const T most = T(size - 1), low = s.align_corners ? T(0) : T(-0.5), span = s.align_corners ? most : T(size);
    const bool unpadded = s.padding != 1 && s.padding != 2, reflects = s.padding == 2;
    for (int p = 0; p < tile; ++p) {
      const T away = x[p] < low ? low - x[p] : x[p] - low, beyond = away - floor(away / (2 * span)) * (2 * span);
      const T steep = reflects & ((x[p] < low) == (beyond < span)) ? -each : each;  // each reflection reverses the direction
      const bool free = unpadded | ((padded[p] > 0) & (padded[p] < most));          // zero where the position is clipped
      out[1][p] = free ? steep : T(0), out[0][p] = free ? -steep : T(0);
    }
  }
};

// A tile's indices for unconditional reads: outside positions read the first pixel, whose value is ignored.
template <class T>
[[gnu::always_inline]] inline void clamp_indices_for_reads(const TapTile<T>& taps, int32_t (*from)[TapTile<T>::size]) {
  for (int k = 0; k < taps.taps; ++k)
    for (int p = 0; p < TapTile<T>::size; ++p) from[k][p] = taps.at[k][p] < 0 ? 0 : taps.at[k][p];
}
// Loads element by element: building a vector from single loads takes three times as long.
template <class T>
[[gnu::noinline]] void fetch(const T* plane, const int32_t* from, T* out) {
#pragma GCC unroll 4
  for (int p = 0; p < TapTile<T>::size; ++p) {
    uint32_t i = uint32_t(from[p]);
    asm("" : "+r"(i));
    out[p] = plane[i];
  }
}

// Pixels with contiguous channels, in whole 16-byte registers: `pitch` elements apart, at least the number of channels.
template <class T>
constexpr int64_t channels_last_pitch(int64_t channels) {
  return (channels + pixel_lanes<T> - 1) / pixel_lanes<T> * pixel_lanes<T>;
}
// Transposes `count` pixels from planes. Elements beyond the channels repeat the last one.
template <class T>
void gather_pixels(const T* planes, int64_t plane, int64_t channels, int64_t count, T* to) {
  constexpr int64_t lanes = pixel_lanes<T>, size = sizeof(T);
  const int64_t pitch = channels_last_pitch<T>(channels), whole = count / lanes * lanes;
  for (int64_t c = 0; c < pitch; c += lanes) {
    const T* lines[lanes];
    for (int64_t r = 0; r < lanes; ++r) lines[r] = planes + std::min(c + r, channels - 1) * plane;
    for (int64_t p = 0; p < whole; p += lanes) {
      T square[lanes][lanes];
#pragma GCC unroll 4
      for (int64_t r = 0; r < lanes; ++r) std::memcpy(square[r], lines[r] + p, sizeof square[r]);
      transpose_block<T>(reinterpret_cast<const char*>(square), lanes * size, reinterpret_cast<char*>(to + p * pitch + c), pitch * size);
    }
    for (int64_t p = whole; p < count; ++p)
      for (int64_t r = 0; r < lanes; ++r) to[p * pitch + c + r] = lines[r][p];
  }
}

// Samples a tile.
template <class T>
struct SampleTile {
  static constexpr int64_t tile = TapTile<T>::size;
  // Samples either planes, and writes each channel's samples `out_step` apart; or, with a pixel of zeros in `nothing`, pixels of `plane`
  // contiguous channels, and writes each point's channels contiguously.
  static void run(const TapTile<T>* taps, int64_t count, const T* image, int64_t plane, int64_t channels, const T* nothing, T* out,
                  int64_t out_step) {
    if (nothing) return sample_pixels(image, *taps, count, plane, nothing, out);
    int32_t from[TapTile<T>::most_taps][tile];
    clamp_indices_for_reads(*taps, from);
    int32_t signs = 0;
    for (int p = 0; p < tile; ++p) signs |= taps->at[0][p];
    for (int64_t c = 0; c < channels; ++c, image += plane, out += out_step) {
      T part[tile], values[4][tile];
      T* const to = count == tile ? out : part;
      if (taps->taps == 1) {
        fetch(image, from[0], to);
        for (int p = 0; signs < 0 && p < tile; ++p) to[p] = taps->at[0][p] < 0 ? T(0) : to[p];
      }
      for (int k = 0; k + 4 <= taps->taps; k += 4) {
        for (int i = 0; i < 4; ++i) fetch(image, from[k + i], values[i]);
        add_taps(values, taps->at + k, taps->weight + k, k > 0, to);
      }
      if (to == part) std::copy_n(part, count, out);
    }
  }

 private:
  [[gnu::always_inline]] static void add_taps(const T (*value)[tile], const int32_t (*at)[tile], const T (*weight)[tile], bool more,
                                              T* sums) {
    for (int p = 0; p < tile; ++p) {
      T sum = more ? sums[p] : T(0);
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) sum += weight[k][p] * (at[k][p] < 0 ? T(0) : value[k][p]);
      sums[p] = sum;
    }
  }
  [[gnu::always_inline]] static void sample_pixels(const T* image, const TapTile<T>& taps, int64_t count, int64_t pitch, const T* nothing,
                                                   T* out) {
    for (int64_t p = 0; p < count; ++p, out += pitch) {
      const auto pixel = [&](int k) { return taps.at[k][p] < 0 ? nothing : image + taps.at[k][p] * pitch; };
      if (taps.taps == 1) {
        std::memcpy(out, pixel(0), size_t(pitch) * sizeof(T));
        continue;
      }
      for (int k = 0; k < taps.taps; k += 4) {
        const T *const a = pixel(k), *const b = pixel(k + 1), *const c = pixel(k + 2), *const d = pixel(k + 3);
        const T wa = taps.weight[k][p], wb = taps.weight[k + 1][p], wc = taps.weight[k + 2][p], wd = taps.weight[k + 3][p];
        int64_t i = 0;
        const auto add = [&]<int64_t width>(std::integral_constant<int64_t, width>) __attribute__((always_inline)) {
          for (; i + width <= pitch; i += width) {
            T sums[width];
            for (int64_t j = 0; j < width; ++j) sums[j] = (k > 0 ? out[i + j] : T(0)) + wa * a[i + j];
            for (int64_t j = 0; j < width; ++j) sums[j] = sums[j] + wb * b[i + j] + wc * c[i + j] + wd * d[i + j];
            for (int64_t j = 0; j < width; ++j) out[i + j] = sums[j];
          }
        };
        add(std::integral_constant<int64_t, 64 / sizeof(T)>());
        add(std::integral_constant<int64_t, 32 / sizeof(T)>());
        add(std::integral_constant<int64_t, 16 / sizeof(T)>());
      }
    }
  }
};

// Gradients of a tile of points. Adds to the input's planes (if `to` is set). For the grid, sums the products of incoming gradients and
// values at each tap; times the derivatives of the weights, these are the gradient.
template <class T>
struct SampleTileBackward {
  static constexpr int64_t tile = TapTile<T>::size;
  static void run(const TapTile<T>* given, int64_t count, int rank, const T* g, int64_t g_step, const T* image, int64_t plane,
                  int64_t channels, T* to, T* grid) {
    const TapTile<T>& taps = *given;
    const bool nearest = taps.taps == 1;  // does not depend on the grid
    T products[TapTile<T>::most_taps][tile], share[tile] = {}, nowhere = 0;
    int32_t from[TapTile<T>::most_taps][tile];
    clamp_indices_for_reads(taps, from);
    for (int k = 0; k < taps.taps; ++k) std::fill_n(products[k], tile, T(0));
    for (int64_t c = 0; c < channels; ++c, g += g_step, image += plane) {
      std::copy_n(g, count, share);
      T* const target = to ? to + c * plane : nullptr;
      for (int k = 0; k < taps.taps; ++k) {
        const int32_t* const at = taps.at[k];
        T shares[tile];
        if (!nearest) {
          fetch(image, from[k], shares);
          for (int p = 0; p < tile; ++p) products[k][p] += share[p] * (at[p] < 0 ? T(0) : shares[p]);
        }
        if (!target) continue;
        for (int p = 0; p < tile; ++p) shares[p] = nearest ? share[p] : taps.weight[k][p] * share[p];
        for (int64_t p = 0; p < count; ++p) *(at[p] < 0 ? &nowhere : target + at[p]) += shares[p];  // branch-free
      }
    }
    if (nearest) return void(std::fill_n(grid, count * rank, T(0)));
    for (int e = 0; e < rank; ++e) {
      T sum[tile] = {};
      for (int k = 0; k < taps.taps; ++k) {
        const T* parts[3] = {};
        for (int d = 0, rest = k; d < rank; ++d, rest /= taps.each)
          parts[d] = d == e ? taps.slope[d][rest % taps.each] : taps.part[d][rest % taps.each];
        if (rank == 2)
          for (int p = 0; p < tile; ++p) sum[p] += parts[0][p] * parts[1][p] * products[k][p];
        else  // in volumes even NaN weights ignore pixels outside
          for (int p = 0; p < tile; ++p) sum[p] += taps.at[k][p] < 0 ? T(0) : parts[0][p] * parts[1][p] * parts[2][p] * products[k][p];
      }
      for (int64_t p = 0; p < count; ++p) grid[p * rank + e] = sum[p];
    }
  }
};

}  // namespace mt::cpu
