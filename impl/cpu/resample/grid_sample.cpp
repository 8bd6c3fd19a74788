// Loops of the grid samplers: most dtypes and sizes are computed in tiles of points; half types, very large planes and higher derivatives
// row by row.
#include "cpu/resample/grid_sample.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/dispatch_dtype.h"
#include "cpu/buffer.h"
#include "cpu/clones.h"
#include "cpu/copy/copy.h"
#include "cpu/math/rounded.h"
#include "cpu/resample/grid_sample_tiles.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu {
namespace {

using std::floor, std::fmod, std::nearbyint;

template <class C>
C clip_coordinate(C x, int64_t size, NanPosition nan_position, C& slope) {
  const C most = C(size - 1);
  if (!(x == x)) return slope = 0, nan_position == NanPosition::first ? C(0) : nan_position == NanPosition::last ? most : x;
  if (!(x > 0)) return slope = 0, C(0);
  if (x >= most) return slope = 0, most;
  return x;
}
template <class C>
C reflect_coordinate(C x, int64_t twice_low, int64_t twice_high, C& slope) {
  if (twice_low == twice_high) return slope = 0, C(0);
  const C low = C(twice_low) / 2, span = C(twice_high - twice_low) / 2;
  x -= low;
  if (x < 0) x = -x, slope = -slope;
  const C rest = fmod(x, span);
  if (fmod(floor(x / span), C(2)) == C(0)) return rest + low;
  slope = -slope;
  return span - rest + low;
}
template <class C>
C pad_coordinate(C x, int64_t size, const Sampling& s, NanPosition nan_position, C& slope) {
  if (s.padding == 2)
    x = s.align_corners ? reflect_coordinate<C>(x, 0, 2 * (size - 1), slope) : reflect_coordinate<C>(x, -1, 2 * size - 1, slope);
  return s.padding == 1 || s.padding == 2 ? clip_coordinate(x, size, nan_position, slope) : x;
}

// What a point reads along one axis: up to four indices (-1: outside), their weights, and first (`slope`) and second (`bend`) derivatives
// of the weights with respect to the position.
template <class C>
struct AxisTaps {
  int64_t index[max_taps];
  C weight[max_taps], slope[max_taps], bend[max_taps];
};
int64_t index_or_outside(int64_t i, int64_t size) { return i >= 0 && i < size ? i : -1; }
template <class C>
int64_t to_index(C x) {  // a coordinate that is not a valid index is outside
  const double place = double(x);
  return place >= -1e9 && place <= 1e9 ? int64_t(place) : -100;
}
template <class C>
void compute_axis_taps(C coordinate, int64_t size, const Sampling& s, NanPosition nan_position, AxisTaps<C>& out) {
  C slope;
  C x = unnormalise(coordinate, size, s.align_corners, slope);
  if (s.mode == 2) {
    const C first = floor(x), t = x - first, a = C(-0.75);
    const C d[] = {t + 1, t, 1 - t, is_rounded<C> ? C((1 - t) + 1) : C(2 - t)};
    const C sign[] = {1, 1, -1, -1};
    for (int k = 0; k < 4; ++k) {
      const C v = d[k];
      const bool near = k == 1 || k == 2;
      out.weight[k] = near ? ((a + 2) * v - (a + 3)) * v * v + 1 : ((a * v - 5 * a) * v + 8 * a) * v - 4 * a;
      out.slope[k] = slope * sign[k] * (near ? (3 * (a + 2) * v - 2 * (a + 3)) * v : (3 * a * v - 10 * a) * v + 8 * a);
      out.bend[k] = slope * slope * (near ? 6 * (a + 2) * v - 2 * (a + 3) : 6 * a * v - 10 * a);
      C ignored = 1;
      out.index[k] = index_or_outside(to_index(pad_coordinate(first + C(k - 1), size, s, nan_position, ignored)), size);
    }
    return;
  }
  x = pad_coordinate(x, size, s, nan_position, slope);
  if (s.mode == 1) {
    out.index[0] = index_or_outside(to_index(nearbyint(x)), size);
    out.weight[0] = 1, out.slope[0] = out.bend[0] = 0;
    return;
  }
  const C low = floor(x), t = x - low;
  const int64_t first = to_index(low);
  out.index[0] = index_or_outside(first, size), out.index[1] = index_or_outside(first + 1, size);
  out.weight[0] = is_rounded<C> ? C((low + 1) - x) : C(1 - t), out.weight[1] = t;
  out.slope[0] = -slope, out.slope[1] = slope;
  out.bend[0] = out.bend[1] = 0;
}

int64_t taps_per_axis(const Sampling& s) { return s.mode == 2 ? 4 : s.mode == 1 ? 1 : 2; }

// Taps of a row of points: for each tap and point the offset into a channel's plane (-1: outside) and the weight; with `slopes` also the
// weight's derivative along each axis of the grid.
template <class C>
struct PointRow {
  int64_t taps = 0, width = 0;
  std::vector<int64_t> offset;
  std::vector<C> weight, slope[3];
  std::vector<C> line_weight;  // for rounded cubics: the weights of the four lines, which `weight` excludes
  void find_taps(const C* grid, int64_t n, int rank, const int64_t* sizes, const Sampling& s, bool slopes) {
    const bool by_lines = is_rounded<C> && s.mode == 2;
    line_weight.resize(size_t(by_lines ? 4 * n : 0));
    const int64_t each = taps_per_axis(s);
    taps = 1, width = n;
    for (int d = 0; d < rank; ++d) taps *= each;
    offset.resize(size_t(taps * n)), weight.resize(size_t(taps * n));
    for (int d = 0; slopes && d < rank; ++d) slope[d].resize(size_t(taps * n));
    AxisTaps<C> axes[3];  // x first, as in the grid
    const NanPosition nan_position = rank == 2 ? NanPosition::first : slopes ? NanPosition::nowhere : NanPosition::last;
    for (int64_t p = 0; p < n; ++p) {
      for (int d = 0; d < rank; ++d) compute_axis_taps(grid[p * rank + d], sizes[rank - 1 - d], s, nan_position, axes[d]);
      for (int64_t k = 0; k < taps; ++k) {
        int64_t at = 0, step = 1, rest = k;
        C w = 1, along[3] = {1, 1, 1};
        for (int d = 0; d < rank; ++d) {
          const int64_t t = rest % each;
          rest /= each;
          at = at < 0 || axes[d].index[t] < 0 ? -1 : at + axes[d].index[t] * step;
          step *= sizes[rank - 1 - d];
          if (by_lines && d)
            line_weight[size_t(t * n + p)] = axes[d].weight[t];
          else
            w *= axes[d].weight[t];
          for (int e = 0; slopes && e < rank; ++e) along[e] *= e == d ? axes[d].slope[t] : axes[d].weight[t];
        }
        const size_t i = size_t(k * n + p);
        const bool counts = rank == 2 || at >= 0;  // in volumes even NaN weights ignore pixels outside
        offset[i] = at;
        weight[i] = counts ? w : C(0);
        for (int e = 0; slopes && e < rank; ++e) slope[e][i] = counts ? along[e] : C(0);
      }
    }
  }
};

// Derivatives of a PointRow's weights and slopes along a direction in grid space.
template <class C>
struct TangentRow {
  std::vector<C> weight, slope[3];
  void find_taps(const C* grid, const C* direction, int64_t n, int rank, const int64_t* sizes, const Sampling& s, int64_t taps) {
    const int64_t each = taps_per_axis(s);
    weight.resize(size_t(taps * n));
    for (int e = 0; e < rank; ++e) slope[e].resize(size_t(taps * n));
    AxisTaps<C> axes[3];
    const NanPosition nan_position = rank == 2 ? NanPosition::first : NanPosition::nowhere;
    for (int64_t p = 0; p < n; ++p) {
      for (int d = 0; d < rank; ++d) compute_axis_taps(grid[p * rank + d], sizes[rank - 1 - d], s, nan_position, axes[d]);
      for (int64_t k = 0; k < taps; ++k) {
        int64_t t[3] = {0, 0, 0}, rest = k;
        for (int d = 0; d < rank; ++d) t[d] = rest % each, rest /= each;
        // The product of the axes' weights, differentiated along axis d (and also along axis e, if e is an axis).
        auto product = [&](int d, int e) {
          C w = 1;
          for (int a = 0; a < rank; ++a)
            w *= a == d && a == e ? axes[a].bend[t[a]] : a == d || a == e ? axes[a].slope[t[a]] : axes[a].weight[t[a]];
          return w;
        };
        C sum = 0;
        for (int d = 0; d < rank; ++d) sum += direction[p * rank + d] * product(d, -1);
        weight[size_t(k * n + p)] = sum;
        for (int e = 0; e < rank; ++e) {
          C along = 0;
          for (int d = 0; d < rank; ++d) along += direction[p * rank + d] * product(d, e);
          slope[e][size_t(k * n + p)] = along;
        }
      }
    }
  }
};

// Samples a row of points from a plane too large for SampleTile.
template <class T>
void sample_row(const T* plane, const PointRow<T>& at, T* out) {
  const int64_t n = at.width;
  for (int64_t p = 0; p < n; ++p) {
    T sum = 0;
    for (size_t i = size_t(p); i < at.offset.size(); i += size_t(n)) sum += at.weight[i] * (at.offset[i] >= 0 ? plane[at.offset[i]] : T(0));
    out[p] = sum;
  }
}

// Samples a row of points in a half type, rounding after each step, as torch does; for cubics, the sum of each line of taps is rounded.
template <class T>
void sample_row_rounded(const T* plane, const PointRow<Rounded<T>>& at, T* out) {
  using C = Rounded<T>;
  const int64_t n = at.width;
  auto part = [&](int64_t k, int64_t p) {
    const int64_t from = at.offset[size_t(k * n + p)];
    return from >= 0 ? C(float(plane[from])) * at.weight[size_t(k * n + p)] : C(0);
  };
  for (int64_t p = 0; p < n; ++p) {
    C sum = 0;
    if (at.line_weight.empty()) {
      for (int64_t k = 0; k < at.taps; ++k) sum += part(k, p);
    } else {
      for (int64_t y = 0; y < 4; ++y) {
        const C line = part(4 * y, p) + part(4 * y + 1, p) + part(4 * y + 2, p) + part(4 * y + 3, p);
        sum += line * at.line_weight[size_t(y * n + p)];
      }
    }
    out[p] = T(sum.value);
  }
}

// As choose_clone, except that double uses AVX2 at most: its AVX-512 code is not worth its size.
template <class F, class T, class... A>
auto choose_tile_clone(void (*run)(A...)) {
  if constexpr (std::is_same_v<T, double>)
    return cpu_capability() == Capability::baseline ? detail::run_baseline<F, A...> : detail::run_avx2<F, A...>;
  else
    return detail::choose_clone<F>(run);
}

// Computes the gradients of a row of points for planes too large for SampleTileBackward.
template <class C>
void sample_row_backward(const C* grid, const GridShape& shape, const Sampling& s, const C* g, const C* image, C* to, C* out) {
  PointRow<C> at;
  const int64_t w = shape.width;
  at.find_taps(grid, w, shape.rank, shape.in, s, true);
  std::fill_n(out, w * shape.rank, C(0));
  for (int64_t c = 0; c < shape.channels; ++c, g += shape.rows * w)
    for (size_t i = 0; i < at.offset.size(); ++i) {
      const int64_t p = int64_t(i) % w, from = c * shape.plane + at.offset[i];
      if (at.offset[i] < 0) continue;
      if (to) to[from] += at.weight[i] * g[p];
      for (int e = 0; e < shape.rank; ++e) out[p * shape.rank + e] += at.slope[e][i] * g[p] * image[from];
    }
}

// Samples half types row by row, rounding after each step.
template <class T>
void sample_rows_rounded(const GridShape& shape, const Sampling& s, const T* input, const T* grid, T* out) {
  const int64_t w = shape.width, cost = w * shape.channels * 8;
  parallel_for(0, shape.batch * shape.rows, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, cost)), [&](int64_t begin, int64_t end) {
    PointRow<Rounded<T>> at;
    std::vector<Rounded<T>> coordinates;
    for (int64_t r = begin; r < end; ++r) {
      const int64_t n = r / shape.rows, y = r % shape.rows;
      const T* from = grid + r * w * shape.rank;
      coordinates.resize(size_t(w * shape.rank));
      for (size_t i = 0; i < coordinates.size(); ++i) coordinates[i] = float(from[i]);
      at.find_taps(coordinates.data(), w, shape.rank, shape.in, s, false);
      for (int64_t c = 0; c < shape.channels; ++c)
        sample_row_rounded(input + (n * shape.channels + c) * shape.plane, at, out + ((n * shape.channels + c) * shape.rows + y) * w);
    }
  });
}

// Samples planes that are too large for SampleTile's 32-bit indices.
template <class T>
void sample_large_planes(const GridShape& shape, const Sampling& s, const T* input, const T* grid, T* out) {
  const int64_t w = shape.width, channels = shape.channels, points = shape.rows * w;
  PointRow<T> at;
  for (int64_t r = 0; r < shape.batch * shape.rows; ++r) {
    at.find_taps(grid + r * w * shape.rank, w, shape.rank, shape.in, s, false);
    for (int64_t c = r / shape.rows * channels, end = c + channels; c < end; ++c)
      sample_row(input + c * shape.plane, at, out + c * points + r % shape.rows * w);
  }
}

// Copies planes to pixels with contiguous channels, `pitch` elements apart.
template <class T>
void gather_images(const GridShape& shape, int64_t pitch, const T* images, T* pixels) {
  const int64_t channels = shape.channels, image = shape.plane * pitch;
  constexpr int64_t part = 1024;
  const int64_t parts = (shape.plane + part - 1) / part;
  parallel_for(0, shape.batch * parts, std::max<int64_t>(1, 32768 / (part * channels)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t n = i / parts, first = i % parts * part;
      gather_pixels(images + n * channels * shape.plane + first, shape.plane, channels, std::min(part, shape.plane - first),
                    pixels + n * image + first * pitch);
    }
  });
}

template <class T>
void sample_tiles(const GridShape& shape, const Sampling& s, ChannelAccess access, const T* images, const T* grid, T* out) {
  const auto [by_channels, gathers] = access;
  const int64_t channels = shape.channels, points = shape.rows * shape.width;
  const auto find = choose_tile_clone<FindTaps<T>, T>(FindTaps<T>::run);
  const auto sample = choose_tile_clone<SampleTile<T>, T>(SampleTile<T>::run);
  constexpr int64_t tile = TapTile<T>::size;
  const int64_t tiles = (points + tile - 1) / tile, pitch = by_channels ? channels_last_pitch<T>(channels) : 0;
  const int64_t image = shape.plane * (by_channels ? pitch : channels);
  Buffer<T> pixels(gathers ? shape.batch * image : 0), nothing(pitch);
  std::fill_n(nothing.data(), pitch, T(0));
  if (gathers) {
    gather_images(shape, pitch, images, pixels.data());
    images = pixels.data();
  }
  parallel_for(0, shape.batch * tiles, std::max<int64_t>(1, 32768 / (8 * tile * channels)), [&](int64_t begin, int64_t end) {
    Buffer<T> samples(tile * pitch), lines(gathers ? tile * pitch : 0);
    TapTile<T> taps;
    for (int64_t t = begin; t < end; ++t) {
      const int64_t n = t / tiles, first = t % tiles * tile, count = std::min(tile, points - first), size = sizeof(T);
      T* const to = out + n * channels * points + first;
      find(grid + (n * points + first) * shape.rank, count, shape.rank, shape.in, &s, false, &taps);
      sample(&taps, count, images + n * image, by_channels ? pitch : shape.plane, channels, by_channels ? nothing.data() : nullptr,
             by_channels ? samples.data() : to, points);
      if (!by_channels) continue;
      T* const transposed = gathers ? lines.data() : to;  // whole registers, if there is room
      const int64_t step = gathers ? tile : points;
      transpose_tile(reinterpret_cast<char*>(transposed), step * size, reinterpret_cast<const char*>(samples.data()), pitch * size, pitch,
                     count, size);
      for (int64_t c = 0; gathers && c < channels; ++c) std::copy_n(transposed + c * tile, count, to + c * points);
    }
  });
}

}  // namespace

template <class T>
void sample_grid(const GridShape& shape, const Sampling& s, ChannelAccess access, const T* input, const T* grid, T* out) {
  if constexpr (!std::is_same_v<T, ComputeType<T>>)
    sample_rows_rounded(shape, s, input, grid, out);
  else if (shape.plane < most_tiled_pixels)
    sample_tiles(shape, s, access, input, grid, out);
  else
    sample_large_planes(shape, s, input, grid, out);
}

template <class C>
void sample_grid_backward(const GridShape& shape, const Sampling& s, const C* grad, const C* input, const C* grid, C* input_grad,
                          C* grid_grad) {
  const auto find = choose_tile_clone<FindTaps<C>, C>(FindTaps<C>::run);
  const auto spread = choose_tile_clone<SampleTileBackward<C>, C>(SampleTileBackward<C>::run);
  const int64_t count = shape.rows * shape.width, image = shape.channels * shape.plane;
  parallel_for(0, shape.batch, 1, [&](int64_t begin, int64_t end) {
    TapTile<C> taps;
    for (int64_t n = begin; n < end; ++n) {
      const C *const from = input + n * image, *const gradient = grad + n * shape.channels * count;
      C* const to = input_grad ? input_grad + n * image : nullptr;
      if (shape.plane >= most_tiled_pixels)
        for (int64_t y = 0; y < shape.rows; ++y)
          sample_row_backward(grid + (n * shape.rows + y) * shape.width * shape.rank, shape, s, gradient + y * shape.width, from, to,
                              grid_grad + (n * shape.rows + y) * shape.width * shape.rank);
      else
        for (int64_t first = 0; first < count; first += TapTile<C>::size) {
          const int64_t some = std::min(TapTile<C>::size, count - first), at = (n * count + first) * shape.rank;
          find(grid + at, some, shape.rank, shape.in, &s, true, &taps);
          spread(&taps, some, shape.rank, gradient + first, count, from, shape.plane, shape.channels, to, grid_grad + at);
        }
    }
  });
}

template <class C>
void sample_grid_second_backward(const GridShape& shape, const Sampling& s, const SecondGradients<C>& t) {
  parallel_for(0, shape.batch, 1, [&](int64_t begin, int64_t end) {
    PointRow<C> at;
    TangentRow<C> tangent;
    for (int64_t r = begin * shape.rows; r < end * shape.rows; ++r) {
      const int64_t n = r / shape.rows, y = r % shape.rows, w = shape.width, first = r * w * shape.rank;
      at.find_taps(t.grid + first, w, shape.rank, shape.in, s, true);
      tangent.find_taps(t.grid + first, t.along_grid + first, w, shape.rank, shape.in, s, at.taps);
      C* out = t.of_grid + first;
      for (int64_t c = 0; c < shape.channels; ++c) {
        const int64_t plane = (n * shape.channels + c) * shape.plane, row = ((n * shape.channels + c) * shape.rows + y) * w;
        const C *xp = t.input + plane, *ip = t.along_input + plane, *gp = t.grad + row;
        C *to = t.of_input + plane, *dgp = t.of_grad + row;
        for (int64_t k = 0; k < at.taps; ++k)
          for (int64_t p = 0; p < w; ++p) {
            const size_t i = size_t(k * w + p);
            const int64_t from = at.offset[i];
            if (from < 0) continue;
            dgp[p] += at.weight[i] * ip[from] + tangent.weight[i] * xp[from];
            to[from] += tangent.weight[i] * gp[p];
            for (int e = 0; e < shape.rank; ++e)
              out[p * shape.rank + e] += gp[p] * (at.slope[e][i] * ip[from] + tangent.slope[e][i] * xp[from]);
          }
      }
    }
  });
}

template void sample_grid<float>(const GridShape&, const Sampling&, ChannelAccess, const float*, const float*, float*);
template void sample_grid<double>(const GridShape&, const Sampling&, ChannelAccess, const double*, const double*, double*);
template void sample_grid<Half>(const GridShape&, const Sampling&, ChannelAccess, const Half*, const Half*, Half*);
template void sample_grid<BFloat16>(const GridShape&, const Sampling&, ChannelAccess, const BFloat16*, const BFloat16*, BFloat16*);
template void sample_grid_backward<float>(const GridShape&, const Sampling&, const float*, const float*, const float*, float*, float*);
template void sample_grid_backward<double>(const GridShape&, const Sampling&, const double*, const double*, const double*, double*,
                                           double*);
template void sample_grid_second_backward<float>(const GridShape&, const Sampling&, const SecondGradients<float>&);
template void sample_grid_second_backward<double>(const GridShape&, const Sampling&, const SecondGradients<double>&);

}  // namespace mt::cpu
