// The grid samplers: most dtypes and sizes are computed in tiles of points; half types, very large planes and higher derivatives row by
// row.
#include "rules/resample/grid_sample.h"
#include "rules/factory/factory.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/messages.h"
#include "cpu/buffer.h"
#include "cpu/copy/copy.h"
#include "rules/conv/layouts.h"
#include "rules/pointwise/rounded.h"
#include "rules/reduction/rows.h"
#include "rules/resample/grid_sample_tiles.h"

namespace mt {
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

// As row_clone, except that double uses AVX2 at most: its AVX-512 code is not worth its size.
template <class F, class T, class... A>
auto choose_tile_clone(void (*run)(A...)) {
  if constexpr (std::is_same_v<T, double>)
    return cpu::cpu_capability() == cpu::Capability::baseline ? row_baseline<F, A...> : row_avx2<F, A...>;
  else
    return row_clone<F>(run);
}

struct Shape {
  int rank;
  int64_t batch, channels, in[3], plane = 1, rows = 1, width;
  Shape(const Tensor& input, const Tensor& grid)
      : rank(int(input.dim()) - 2), batch(input.size(0)), channels(input.size(1)), width(grid.size(rank)) {
    for (int d = 0; d < rank; ++d) in[d] = input.size(2 + d), plane *= in[d];
    for (int d = 1; d < rank; ++d) rows *= grid.size(d);
  }
};

void check_gradient(const Tensor& grad, const Shape& shape) {
  check(grad.numel() == shape.batch * shape.channels * shape.rows * shape.width, "grid_sampler backward: the gradient has {} elements",
        grad.numel());
}

// Computes the gradients of a row of points for planes too large for SampleTileBackward.
template <class C>
void sample_row_backward(const C* grid, const Shape& shape, const Sampling& s, const C* g, const C* image, C* to, C* out) {
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

}  // namespace

void check_grid_device(const Tensor& input, const Tensor& grid) {
  check(input.device() == grid.device(),
        "grid_sampler(): expected input and grid to be on same device, but input is on {} and grid is on {}", input.device(),
        grid.device());
}
void refuse_grid_elsewhere(const Call& call) { check_grid_device(Unbox<Tensor>::from(call.args[0]), Unbox<Tensor>::from(call.args[1])); }

void check_grid(const Tensor& input, const Tensor& grid, int rank, const Sampling& s) {
  for (const Tensor* t : {&input, &grid}) check(t->dim() > 0, ErrorKind::index, messages::dimension_specified_as_0);
  check(input.size(0) == grid.size(0),
        "grid_sampler(): expected grid and input to have same batch size, but got input with sizes {} and grid with "
        "sizes {}",
        input.sizes(), grid.sizes());
  check(grid.size(-1) == input.dim() - 2, "grid_sampler(): expected grid to have size {} in last dimension, but got grid with sizes {}",
        input.dim() - 2, grid.sizes());
  for (int64_t d = 2; d < input.dim(); ++d)
    check(input.size(d) > 0,
          "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes {} with dimension "
          "{} being empty",
          input.sizes(), d);
  const bool fits = rank ? input.dim() == rank + 2 && grid.dim() == rank + 2
                         : (input.dim() == 4 || input.dim() == 5) && grid.dim() == input.dim();
  check(fits,
        rank == 2   ? "grid_sampler(): expected 4D input and grid with same number of dimensions, but got input with "
                      "sizes {} and grid with sizes {}"
        : rank == 3 ? "grid_sampler(): expected 5D input and grid with same number of dimensions, but got input with "
                      "sizes {} and grid with sizes {}"
                    : "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input "
                      "with sizes {} and grid with sizes {}",
        input.sizes(), grid.sizes());
  check(input.dim() == 4 || s.mode != 2, "grid_sampler(): bicubic interpolation only supports 4D input");
}

namespace {

// Samples half types row by row, rounding after each step.
template <class T>
void sample_rows_rounded(const Shape& shape, const Sampling& s, const T* input, const T* grid, T* out) {
  const int64_t w = shape.width, cost = w * shape.channels * 8;
  cpu::parallel_for(0, shape.batch * shape.rows, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, cost)), [&](int64_t begin, int64_t end) {
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
void sample_large_planes(const Shape& shape, const Sampling& s, const T* input, const T* grid, T* out) {
  const int64_t w = shape.width, channels = shape.channels, points = shape.rows * w;
  PointRow<T> at;
  for (int64_t r = 0; r < shape.batch * shape.rows; ++r) {
    at.find_taps(grid + r * w * shape.rank, w, shape.rank, shape.in, s, false);
    for (int64_t c = r / shape.rows * channels, end = c + channels; c < end; ++c)
      sample_row(input + c * shape.plane, at, out + c * points + r % shape.rows * w);
  }
}

// How the channels of a pixel are read.
struct ChannelAccess {
  bool by_channels;  // in vectors, from pixels with contiguous channels
  bool gathers;      // such pixels are copied from planes, with padding
};

// Copies planes to pixels with contiguous channels, `pitch` elements apart.
template <class T>
void gather_images(const Shape& shape, int64_t pitch, const T* images, T* pixels) {
  const int64_t channels = shape.channels, image = shape.plane * pitch;
  constexpr int64_t part = 1024;
  const int64_t parts = (shape.plane + part - 1) / part;
  cpu::parallel_for(0, shape.batch * parts, std::max<int64_t>(1, 32768 / (part * channels)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t n = i / parts, first = i % parts * part;
      gather_pixels(images + n * channels * shape.plane + first, shape.plane, channels, std::min(part, shape.plane - first),
                    pixels + n * image + first * pitch);
    }
  });
}

template <class T>
void sample_tiles(const Shape& shape, const Sampling& s, ChannelAccess access, const T* images, const T* grid, T* out) {
  const auto [by_channels, gathers] = access;
  const int64_t channels = shape.channels, points = shape.rows * shape.width;
  const auto find = choose_tile_clone<FindTaps<T>, T>(FindTaps<T>::run);
  const auto sample = choose_tile_clone<SampleTile<T>, T>(SampleTile<T>::run);
  constexpr int64_t tile = TapTile<T>::size;
  const int64_t tiles = (points + tile - 1) / tile, pitch = by_channels ? channels_last_pitch<T>(channels) : 0;
  const int64_t image = shape.plane * (by_channels ? pitch : channels);
  cpu::Buffer<T> pixels(gathers ? shape.batch * image : 0), nothing(pitch);
  std::fill_n(nothing.data(), pitch, T(0));
  if (gathers) {
    gather_images(shape, pitch, images, pixels.data());
    images = pixels.data();
  }
  cpu::parallel_for(0, shape.batch * tiles, std::max<int64_t>(1, 32768 / (8 * tile * channels)), [&](int64_t begin, int64_t end) {
    cpu::Buffer<T> samples(tile * pitch), lines(gathers ? tile * pitch : 0);
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
      cpu::transpose_tile(reinterpret_cast<char*>(transposed), step * size, reinterpret_cast<const char*>(samples.data()), pitch * size,
                          pitch, count, size);
      for (int64_t c = 0; gathers && c < channels; ++c) std::copy_n(transposed + c * tile, count, to + c * points);
    }
  });
}

}  // namespace

Tensor sample_grid(const Tensor& given, const Tensor& points, const Sampling& s, const char* name) {
  Dims sizes{given.size(0), given.size(1)};
  for (int64_t d = 1; d + 1 < points.dim(); ++d) sizes.push_back(points.size(d));
  const Tensor out = empty(sizes, given.dtype(), given.device());
  if (out.is_meta()) return out;
  dispatch_floating(given.dtype(), name, [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    check(points.dtype() == given.dtype(), messages::expected_scalar_type, given.dtype(), points.dtype());
    if (out.numel() == 0) return;
    const Tensor grid = dense(points);
    const Shape shape(given, grid);
    // Pixels with contiguous channels are read in vectors: planes are transposed to channels-last if at least as many points are sampled,
    // each from several pixels.
    constexpr bool has_tiles = std::is_same_v<T, C>;
    const MemoryFormat together = shape.rank == 2 ? MemoryFormat::channels_last : MemoryFormat::channels_last_3d;
    const bool fills = shape.channels % pixel_lanes<C> == 0, is_channels_last = fills && is_stored_channels_last(given, together);
    const bool transposes = !is_channels_last && shape.channels >= 3 && s.mode != 1 && shape.rows * shape.width >= shape.plane;
    const bool is_small = shape.plane < SampleTile<C>::most_pixels;
    const bool by_channels = has_tiles && (is_channels_last || transposes) && is_small;
    const bool gathers = by_channels && transposes && !fills;
    const Tensor input = !by_channels || gathers ? make_planar(given)
                         : is_channels_last      ? given
                                                 : copy_into_format(make_planar(given), together);
    if constexpr (!has_tiles)
      sample_rows_rounded(shape, s, input.data<T>(), grid.data<T>(), out.data<T>());
    else if (is_small)
      sample_tiles(shape, s, {by_channels, gathers}, input.data<T>(), grid.data<T>(), out.data<T>());
    else
      sample_large_planes(shape, s, input.data<T>(), grid.data<T>(), out.data<T>());
  });
  return out;
}

Tensors<2> sample_grid_backward(const Tensor& grad, const Tensor& given, const Tensor& points, const Sampling& s, bool want_input,
                                const char* name) {
  Tensors<2> result;
  if (want_input) result[0] = empty(given.sizes(), given.dtype(), given.device());
  result[1] = empty(points.sizes(), points.dtype(), points.device());
  if (given.is_meta()) return result;
  dispatch_floating(given.dtype(), name, [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    check(points.dtype() == given.dtype() && grad.dtype() == given.dtype(), messages::expected_scalar_type, given.dtype(),
          points.dtype() == given.dtype() ? grad.dtype() : points.dtype());
    const Dtype wide = compute_dtype(given.dtype());
    const Tensor input = dense_as(given, wide), grid = dense_as(points, wide), g = dense_as(grad, wide);
    const Shape shape(input, grid);
    check_gradient(g, shape);
    const Tensor dx = want_input && std::is_same_v<T, C> ? result[0] : empty(want_input ? given.sizes() : IntList{0}, wide);
    const Tensor dgrid = std::is_same_v<T, C> ? result[1] : empty(points.sizes(), wide);
    fill_with(dx, 0);
    const auto find = choose_tile_clone<FindTaps<C>, C>(FindTaps<C>::run);
    const auto spread = choose_tile_clone<SampleTileBackward<C>, C>(SampleTileBackward<C>::run);
    const int64_t count = shape.rows * shape.width, image = shape.channels * shape.plane;
    cpu::parallel_for(0, shape.batch, 1, [&](int64_t begin, int64_t end) {
      TapTile<C> taps;
      for (int64_t n = begin; n < end; ++n) {
        const C *const from = input.data<C>() + n * image, *const gradient = g.template data<C>() + n * shape.channels * count;
        C* const to = want_input ? dx.data<C>() + n * image : nullptr;
        if (shape.plane >= SampleTile<C>::most_pixels)
          for (int64_t y = 0; y < shape.rows; ++y)
            sample_row_backward(grid.data<C>() + (n * shape.rows + y) * shape.width * shape.rank, shape, s, gradient + y * shape.width,
                                from, to, dgrid.data<C>() + (n * shape.rows + y) * shape.width * shape.rank);
        else
          for (int64_t first = 0; first < count; first += TapTile<C>::size) {
            const int64_t some = std::min(TapTile<C>::size, count - first), at = (n * count + first) * shape.rank;
            find(grid.data<C>() + at, some, shape.rank, shape.in, &s, true, &taps);
            spread(&taps, some, shape.rank, gradient + first, count, from, shape.plane, shape.channels, to, dgrid.data<C>() + at);
          }
      }
    });
    if (want_input && dx.get() != result[0].get()) copy_into(result[0], dx);
    if (dgrid.get() != result[1].get()) copy_into(result[1], dgrid);
  });
  return result;
}

Tensors<3> sample_grid_second_backward(const Tensor& ggx, const Tensor& ggg, const Tensor& grad, const Tensor& given, const Tensor& points,
                                       const Sampling& s) {
  Tensors<3> result;
  check_grid(given, points, 0, s);
  for (auto [gradient, of] : {std::pair{&ggx, &given}, std::pair{&ggg, &points}})
    if (gradient->defined())
      check(gradient->sizes() == of->sizes(), "grid_sampler backward: a gradient of sizes {} for sizes {}", gradient->sizes(), of->sizes());
  dispatch_floating(given.dtype(), "grid_sampler_second_backward", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Dtype wide = compute_dtype(given.dtype());
    auto zeros = [&](IntList sizes) {
      const Tensor t = empty(sizes, wide);
      fill_with(t, 0);
      return t;
    };
    const Tensor x = dense_as(given, wide), grid = dense_as(points, wide), g = dense_as(grad, wide);
    const Tensor in = ggx.defined() ? dense_as(ggx, wide) : zeros(given.sizes());
    const Tensor along = ggg.defined() ? dense_as(ggg, wide) : zeros(points.sizes());
    const Tensor dg = zeros(grad.sizes()), dx = zeros(given.sizes()), dgrid = zeros(points.sizes());
    const Shape shape(x, grid);
    check_gradient(g, shape);
    cpu::parallel_for(0, shape.batch, 1, [&](int64_t begin, int64_t end) {
      PointRow<C> at;
      TangentRow<C> tangent;
      for (int64_t r = begin * shape.rows; r < end * shape.rows; ++r) {
        const int64_t n = r / shape.rows, y = r % shape.rows, w = shape.width, first = r * w * shape.rank;
        at.find_taps(grid.data<C>() + first, w, shape.rank, shape.in, s, true);
        tangent.find_taps(grid.data<C>() + first, along.data<C>() + first, w, shape.rank, shape.in, s, at.taps);
        C* out = dgrid.data<C>() + first;
        for (int64_t c = 0; c < shape.channels; ++c) {
          const int64_t plane = (n * shape.channels + c) * shape.plane, row = ((n * shape.channels + c) * shape.rows + y) * w;
          const C *xp = x.data<C>() + plane, *ip = in.data<C>() + plane, *gp = g.data<C>() + row;
          C *to = dx.data<C>() + plane, *dgp = dg.data<C>() + row;
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
    // With nearest sampling the results of the backward function do not depend on the input, so there is no gradient with respect to it.
    const Tensor input_gradient = s.mode == 1 ? Tensor() : dense_as(dx, given.dtype());
    result = {{dense_as(dg, grad.dtype()), input_gradient, dense_as(dgrid, points.dtype())}};
  });
  return result;
}

}  // namespace mt
