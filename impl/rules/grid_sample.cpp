// Kernels of the grid samplers: per output row, the places and weights that each point asks for, then one pass per
// channel.
#include "rules/grid_sample.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "cpu/buffer.h"
#include "cpu/copy.h"
#include "rules/layouts.h"
#include "rules/rounded.h"
#include "rules/rows.h"

namespace mt {
namespace {

using std::floor, std::fmod, std::nearbyint;

constexpr int max_taps = 4;

// A coordinate in [-1, 1] as a place in a dimension of `size` elements; `slope` is its derivative.
template <class C>
C unnormalise(C x, int64_t size, bool align, C& slope) {
  slope = align ? C(size - 1) / 2 : C(size) / 2;
  return align ? (x + 1) / 2 * C(size - 1) : ((x + 1) * C(size) - 1) / 2;
}
// Where a NaN is clipped to.
enum class Lost { first, last, nowhere };
template <class C>
C clip(C x, int64_t size, Lost lost, C& slope) {
  const C most = C(size - 1);
  if (!(x == x)) return slope = 0, lost == Lost::first ? C(0) : lost == Lost::last ? most : x;
  if (!(x > 0)) return slope = 0, C(0);
  if (x >= most) return slope = 0, most;
  return x;
}
template <class C>
C reflect(C x, int64_t twice_low, int64_t twice_high, C& slope) {
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
C padded(C x, int64_t size, const Sampling& s, Lost lost, C& slope) {
  if (s.padding == 2)
    x = s.align_corners ? reflect<C>(x, 0, 2 * (size - 1), slope) : reflect<C>(x, -1, 2 * size - 1, slope);
  return s.padding == 1 || s.padding == 2 ? clip(x, size, lost, slope) : x;
}

// Where one axis of a point reads: up to four places (-1: outside), their weights, and the weights' first
// and second derivatives.
template <class C>
struct AxisTaps {
  int64_t index[max_taps];
  C weight[max_taps], slope[max_taps], bend[max_taps];
};
int64_t inside(int64_t i, int64_t size) { return i >= 0 && i < size ? i : -1; }
template <class C>
int64_t to_index(C x) {  // what no index is lies outside
  const double place = double(x);
  return place >= -1e9 && place <= 1e9 ? int64_t(place) : -100;
}
template <class C>
void axis_taps(C coordinate, int64_t size, const Sampling& s, Lost lost, AxisTaps<C>& out) {
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
      out.index[k] = inside(to_index(padded(first + C(k - 1), size, s, lost, ignored)), size);
    }
    return;
  }
  x = padded(x, size, s, lost, slope);
  if (s.mode == 1) {
    out.index[0] = inside(to_index(nearbyint(x)), size);
    out.weight[0] = 1, out.slope[0] = out.bend[0] = 0;
    return;
  }
  const C low = floor(x), t = x - low;
  const int64_t first = to_index(low);
  out.index[0] = inside(first, size), out.index[1] = inside(first + 1, size);
  out.weight[0] = is_rounded<C> ? C((low + 1) - x) : C(1 - t), out.weight[1] = t;
  out.slope[0] = -slope, out.slope[1] = slope;
  out.bend[0] = out.bend[1] = 0;
}

// The samples of up to `tile` points in loops that vectorise: places and weights axis by axis, then channel by channel.
template <class T>
struct SampleTile {
  using C = T;
  static constexpr int64_t tile = 64;
  static constexpr int64_t most_pixels = int64_t{1} << 30;  // places are 32 bits wide
  // Planes, and as many lines of samples `out_step` apart; or with `together`, pixels whose channels lie together, and as many of samples.
  static void run(const T* grid, int64_t count, int rank, const int64_t* sizes, const Sampling* given, const T* image, int64_t plane,
                  int64_t channels, bool together, T* out, int64_t out_step) {
    const Sampling s = *given;
    const Lost lost = rank == 2 ? Lost::first : Lost::last;
    const int each = s.mode == 2 ? 4 : s.mode == 1 ? 1 : 2;
    int taps = 1;
    for (int d = 0; d < rank; ++d) taps *= each;
    T x[tile] = {}, part[3][max_taps][tile], weight[most_taps][tile];
    int32_t place[3][max_taps][tile], at[most_taps][tile];  // -1 outside
    for (int d = 0; d < rank; ++d) {
      if (rank == 2)  // a distance that the compiler knows
        for (int64_t p = 0; p < count; ++p) x[p] = grid[p * 2 + d];
      else
        for (int64_t p = 0; p < count; ++p) x[p] = grid[p * 3 + d];
      axis(x, sizes[rank - 1 - d], s, lost, place[d], part[d]);
    }
    for (int k = 0; k < taps; ++k) {
      int32_t step = 1;
      for (int d = 0, rest = k; d < rank; ++d, rest /= each) {
        const int32_t* const from = place[d][rest % each];
        const T* const share = part[d][rest % each];
        if (d == 0)
          for (int p = 0; p < tile; ++p) at[k][p] = from[p], weight[k][p] = share[p];
        else
          for (int p = 0; p < tile; ++p) at[k][p] = (at[k][p] | from[p]) < 0 ? -1 : at[k][p] + from[p] * step, weight[k][p] *= share[p];
        step *= int32_t(sizes[rank - 1 - d]);
      }
      if (rank == 3)
        for (int p = 0; p < tile; ++p) weight[k][p] = at[k][p] < 0 ? T(0) : weight[k][p];
    }
    if (together) return sample_pixels(image, at, weight, taps, count, channels, out);
    for (int64_t c = 0; c < channels; ++c, image += plane, out += out_step) {
      T sums[tile] = {};
      if (taps == 1) add_taps<1>(image, at, weight, count, sums);
      for (int k = 0; k + 4 <= taps; k += 4) add_taps<4>(image, at + k, weight + k, count, sums);
      std::copy_n(sums, count, out);
    }
  }

 private:
  static constexpr int most_taps = 16;
  template <int Taps>
  [[gnu::always_inline]] static void add_taps(const T* plane, const int32_t (*at)[tile], const T (*weight)[tile], int64_t count, T* sums) {
    constexpr int lanes = 64 / int(sizeof(T));
    for (int64_t first = 0; first < count; first += lanes)
      for (int64_t p = first; p < first + lanes; ++p) {
        T sum = sums[p];
        // What lies outside reads the first pixel, whose value is not used: loads without conditions. It counts as a zero.
#pragma GCC unroll 4
        for (int k = 0; k < Taps; ++k) {
          const T value = plane[at[k][p] < 0 ? 0 : at[k][p]];
          sum += weight[k][p] * (at[k][p] < 0 ? T(0) : value);
        }
        sums[p] = sum;
      }
  }
  [[gnu::always_inline]] static void sample_pixels(const T* image, const int32_t (*at)[tile], const T (*weight)[tile], int taps,
                                                   int64_t count, int64_t channels, T* out) {
    for (int64_t p = 0; p < count; ++p, out += channels) {
      std::fill_n(out, channels, T(0));
      for (int k = 0; k < taps; ++k) {
        const T w = weight[k][p], nothing = w * T(0);
        const T* const pixel = image + at[k][p] * channels;
        if (at[k][p] >= 0)
          for (int64_t c = 0; c < channels; ++c) out[c] += w * pixel[c];
        else
          for (int64_t c = 0; c < channels; ++c) out[c] += nothing;
      }
    }
  }
  [[gnu::always_inline]] static void axis(C* x, int64_t size, const Sampling& s, Lost lost, int32_t (*index)[tile], C (*share)[tile]) {
    C slope;
    for (int p = 0; p < tile; ++p) x[p] = unnormalise(x[p], size, s.align_corners, slope);
    if (s.mode != 2) pad(x, size, s, lost);
    if (s.mode == 1) {
      for (int p = 0; p < tile; ++p) share[0][p] = 1, index[0][p] = inside(nearbyint(x[p]), size);
    } else if (s.mode == 2) {
      constexpr C a = C(-0.75);
      C first[tile];
      for (int p = 0; p < tile; ++p) {
        first[p] = floor(x[p]) - 1;
        const C t = x[p] - floor(x[p]), u = 1 - t, far = t + 1, further = 2 - t;
        share[0][p] = ((a * far - 5 * a) * far + 8 * a) * far - 4 * a;
        share[1][p] = ((a + 2) * t - (a + 3)) * t * t + 1;
        share[2][p] = ((a + 2) * u - (a + 3)) * u * u + 1;
        share[3][p] = ((a * further - 5 * a) * further + 8 * a) * further - 4 * a;
      }
      for (int k = 0; k < 4; ++k) {
        for (int p = 0; p < tile; ++p) x[p] = first[p] + C(k);
        pad(x, size, s, lost);
        for (int p = 0; p < tile; ++p) index[k][p] = inside(x[p], size);
      }
    } else {
      for (int p = 0; p < tile; ++p) {
        const C low = floor(x[p]);
        share[0][p] = 1 - (x[p] - low), share[1][p] = x[p] - low;
        index[0][p] = inside(low, size), index[1][p] = inside(low + 1, size);
      }
    }
  }
  // What no index is, NaN too, lies outside.
  [[gnu::always_inline]] static int32_t inside(C place, int64_t size) {
    const int32_t i = place >= C(-1e9) && place <= C(1e9) ? int32_t(place) : -1;
    return uint32_t(i) < uint32_t(size) ? i : -1;
  }
  [[gnu::always_inline]] static void pad(C* x, int64_t size, const Sampling& s, Lost lost) {
    if (s.padding != 1 && s.padding != 2) return;
    const C most = C(size - 1), low = s.align_corners ? C(0) : C(-0.5), twice = 2 * (s.align_corners ? most : C(size));
    if (s.padding == 2)
      for (int p = 0; p < tile; ++p) {
        const C away = x[p] < low ? low - x[p] : x[p] - low, beyond = away - floor(away / twice) * twice;
        x[p] = (beyond < twice - beyond ? beyond : twice - beyond) + low;
      }
    const C of_nan = lost == Lost::first ? C(0) : most;
    for (int p = 0; p < tile; ++p) x[p] = x[p] > 0 ? (x[p] >= most ? most : x[p]) : x[p] <= 0 ? C(0) : of_nan;
  }
};

// A row of points: per tap and point the offset into a channel's plane (-1: outside) and the weight; with `slopes` the
// weight's derivative along each axis of the grid.
template <class C>
struct PointRow {
  int64_t taps = 0, width = 0;
  std::vector<int64_t> offset;
  std::vector<C> weight, slope[3];
  std::vector<C> line_weight;  // of rounded cubics: those of the four lines, which `weight` leaves out
  void find(const C* grid, int64_t n, int rank, const int64_t* sizes, const Sampling& s, bool slopes) {
    const bool by_lines = is_rounded<C> && s.mode == 2;
    line_weight.resize(size_t(by_lines ? 4 * n : 0));
    const int64_t each = s.mode == 2 ? 4 : s.mode == 1 ? 1 : 2;
    taps = 1, width = n;
    for (int d = 0; d < rank; ++d) taps *= each;
    offset.resize(size_t(taps * n)), weight.resize(size_t(taps * n));
    for (int d = 0; slopes && d < rank; ++d) slope[d].resize(size_t(taps * n));
    AxisTaps<C> axes[3];  // x first, as the grid has it
    const Lost lost = rank == 2 ? Lost::first : slopes ? Lost::nowhere : Lost::last;
    for (int64_t p = 0; p < n; ++p) {
      for (int d = 0; d < rank; ++d) axis_taps(grid[p * rank + d], sizes[rank - 1 - d], s, lost, axes[d]);
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
        const bool counts = rank == 2 || at >= 0;  // in volumes not even a NaN comes from outside
        offset[i] = at;
        weight[i] = counts ? w : C(0);
        for (int e = 0; slopes && e < rank; ++e) slope[e][i] = counts ? along[e] : C(0);
      }
    }
  }
};

// For a direction of the grid: the weights' derivative along it, and that of their slopes.
template <class C>
struct TangentRow {
  std::vector<C> weight, slope[3];
  void find(const C* grid, const C* direction, int64_t n, int rank, const int64_t* sizes, const Sampling& s,
            int64_t taps) {
    const int64_t each = s.mode == 2 ? 4 : s.mode == 1 ? 1 : 2;
    weight.resize(size_t(taps * n));
    for (int e = 0; e < rank; ++e) slope[e].resize(size_t(taps * n));
    AxisTaps<C> axes[3];
    const Lost lost = rank == 2 ? Lost::first : Lost::nowhere;
    for (int64_t p = 0; p < n; ++p) {
      for (int d = 0; d < rank; ++d) axis_taps(grid[p * rank + d], sizes[rank - 1 - d], s, lost, axes[d]);
      for (int64_t k = 0; k < taps; ++k) {
        int64_t t[3] = {0, 0, 0}, rest = k;
        for (int d = 0; d < rank; ++d) t[d] = rest % each, rest /= each;
        // The product over the axes, differentiated along d (and e, where it is an axis).
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

// A row of samples of a plane too large for SampleTile.
template <class T>
void sample_row(const T* plane, const PointRow<T>& at, T* out) {
  const int64_t n = at.width;
  for (int64_t p = 0; p < n; ++p) {
    T sum = 0;
    for (size_t i = size_t(p); i < at.offset.size(); i += size_t(n)) sum += at.weight[i] * (at.offset[i] >= 0 ? plane[at.offset[i]] : T(0));
    out[p] = sum;
  }
}

// The same in half precision, rounding as torch does: at each step, and cubics line by line.
template <class T>
void sample_rounded(const T* plane, const PointRow<Rounded<T>>& at, T* out) {
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

// One channel's part of a row's gradients: products with the values at the places, for the grid, and shares for the
// input.
template <class T>
struct SampleRowBackward {
  using C = ComputeType<T>;
  static void run(const T* plane, const C* g, const int64_t* offset, const C* weight, int64_t taps, int64_t n,
                  C* __restrict__ products, C* to) {
    for (int64_t k = 0; k < taps; ++k) {
      const int64_t* at = offset + k * n;
      for (int64_t p = 0; p < n; ++p) products[k * n + p] += g[p] * (at[p] >= 0 ? C(plane[at[p]]) : C(0));
      if (!to) continue;
      for (int64_t p = 0; p < n; ++p)
        if (at[p] >= 0) to[at[p]] += weight[k * n + p] * g[p];
    }
  }
};

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
  check(grad.numel() == shape.batch * shape.channels * shape.rows * shape.width,
        "grid_sampler backward: the gradient has {} elements", grad.numel());
}

}  // namespace

void check_grid_device(const Tensor& input, const Tensor& grid) {
  check(input.device() == grid.device(),
        "grid_sampler(): expected input and grid to be on same device, but input is on {} and grid is on {}", input.device(),
        grid.device());
}
void refuse_grid_elsewhere(const Call& call) { check_grid_device(Unbox<Tensor>::from(call.args[0]), Unbox<Tensor>::from(call.args[1])); }

void check_grid(const Tensor& input, const Tensor& grid, int rank, const Sampling& s) {
  for (const Tensor* t : {&input, &grid}) check(t->dim() > 0, ErrorKind::index, "Dimension specified as 0 but tensor has no dimensions");
  check(input.size(0) == grid.size(0),
        "grid_sampler(): expected grid and input to have same batch size, but got input with sizes {} and grid with "
        "sizes {}",
        input.sizes(), grid.sizes());
  check(grid.size(-1) == input.dim() - 2,
        "grid_sampler(): expected grid to have size {} in last dimension, but got grid with sizes {}", input.dim() - 2,
        grid.sizes());
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

Tensor sample_grid(const Tensor& given, const Tensor& points, const Sampling& s, const char* name) {
  Dims sizes{given.size(0), given.size(1)};
  for (int64_t d = 1; d + 1 < points.dim(); ++d) sizes.push_back(points.size(d));
  const Tensor out = empty(sizes, given.dtype(), given.device());
  if (out.is_meta()) return out;
  dispatch_floating(given.dtype(), name, [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    check(points.dtype() == given.dtype(), "expected scalar type {} but found {}", given.dtype(), points.dtype());
    if (out.numel() == 0) return;
    const Tensor grid = dense(points);
    const Shape shape(given, grid);
    // Pixels whose channels lie together are read in vectors: planes are turned for it where as many points are sampled.
    const MemoryFormat together = shape.rank == 2 ? MemoryFormat::channels_last : MemoryFormat::channels_last_3d;
    const bool lies = lies_channels_last(given, together);
    const bool by_channels = std::is_same_v<T, C> && shape.channels >= 8 && shape.plane < SampleTile<C>::most_pixels &&
                             (lies || shape.rows * shape.width >= shape.plane);
    const Tensor input = !by_channels ? planar(given) : lies ? given : in_format(planar(given), together);
    const int64_t cost = shape.width * shape.channels * 8;
    if constexpr (!std::is_same_v<T, C>) {
      cpu::parallel_for(0, shape.batch * shape.rows, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, cost)),
                        [&](int64_t begin, int64_t end) {
                          PointRow<Rounded<T>> at;
                          std::vector<Rounded<T>> coordinates;
                          for (int64_t r = begin; r < end; ++r) {
                            const int64_t n = r / shape.rows, y = r % shape.rows, w = shape.width;
                            const T* from = grid.data<T>() + r * w * shape.rank;
                            coordinates.resize(size_t(w * shape.rank));
                            for (size_t i = 0; i < coordinates.size(); ++i) coordinates[i] = float(from[i]);
                            at.find(coordinates.data(), w, shape.rank, shape.in, s, false);
                            for (int64_t c = 0; c < shape.channels; ++c)
                              sample_rounded(input.data<T>() + (n * shape.channels + c) * shape.plane, at,
                                             out.data<T>() + ((n * shape.channels + c) * shape.rows + y) * w);
                          }
                        });
    } else {
      const int64_t w = shape.width, channels = shape.channels, points = shape.rows * w;
      if (shape.plane >= SampleTile<T>::most_pixels) {
        PointRow<T> at;
        for (int64_t r = 0; r < shape.batch * shape.rows; ++r) {
          at.find(grid.data<T>() + r * w * shape.rank, w, shape.rank, shape.in, s, false);
          for (int64_t c = r / shape.rows * channels, end = c + channels; c < end; ++c)
            sample_row(input.data<T>() + c * shape.plane, at, out.data<T>() + c * points + r % shape.rows * w);
        }
        return;
      }
      const auto sample = row_clone<SampleTile<T>>(SampleTile<T>::run);
      constexpr int64_t tile = SampleTile<T>::tile;
      const int64_t tiles = (points + tile - 1) / tile;
      cpu::parallel_for(0, shape.batch * tiles, std::max<int64_t>(1, 32768 / (8 * tile * channels)), [&](int64_t begin, int64_t end) {
        cpu::Buffer<T> samples(by_channels ? tile * channels : 0);
        for (int64_t t = begin; t < end; ++t) {
          const int64_t n = t / tiles, first = t % tiles * tile, count = std::min(tile, points - first), size = sizeof(T);
          T* const to = out.data<T>() + n * channels * points + first;
          sample(grid.data<T>() + (n * points + first) * shape.rank, count, shape.rank, shape.in, &s,
                 input.data<T>() + n * channels * shape.plane, shape.plane, channels, by_channels, by_channels ? samples.data() : to,
                 points);
          if (by_channels)
            cpu::turn_tile(reinterpret_cast<char*>(to), points * size, reinterpret_cast<const char*>(samples.data()), channels * size,
                           channels, count, size);
        }
      });
    }
  });
  return out;
}

Tensors<2> sample_grid_backward(const Tensor& grad, const Tensor& given, const Tensor& points, const Sampling& s,
                                bool want_input, const char* name) {
  Tensors<2> result;
  if (want_input) result[0] = empty(given.sizes(), given.dtype(), given.device());
  result[1] = empty(points.sizes(), points.dtype(), points.device());
  if (given.is_meta()) return result;
  dispatch_floating(given.dtype(), name, [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    check(points.dtype() == given.dtype() && grad.dtype() == given.dtype(), "expected scalar type {} but found {}",
          given.dtype(), points.dtype() == given.dtype() ? grad.dtype() : points.dtype());
    const Dtype wide = compute_dtype(given.dtype());
    const Tensor input = dense(given), grid = dense_as(points, wide), g = dense_as(grad, wide);
    const Shape shape(input, grid);
    check_gradient(g, shape);
    const Tensor dx =
        want_input && std::is_same_v<T, C> ? result[0] : empty(want_input ? given.sizes() : IntList{0}, wide);
    const Tensor dgrid = std::is_same_v<T, C> ? result[1] : empty(points.sizes(), wide);
    const auto row = row_clone<SampleRowBackward<T>>(SampleRowBackward<T>::run);
    if (dx.numel() > 0) std::memset(dx.data(), 0, size_t(dx.numel() * dx.itemsize()));
    cpu::parallel_for(0, shape.batch, 1, [&](int64_t begin, int64_t end) {
      PointRow<C> at;
      std::vector<C> products;
      for (int64_t r = begin * shape.rows; r < end * shape.rows; ++r) {
        const int64_t n = r / shape.rows, y = r % shape.rows, w = shape.width;
        at.find(grid.data<C>() + r * w * shape.rank, w, shape.rank, shape.in, s, true);
        products.assign(size_t(at.taps * w), C(0));
        for (int64_t c = 0; c < shape.channels; ++c) {
          const T* plane = input.data<T>() + (n * shape.channels + c) * shape.plane;
          const C* gr = g.template data<C>() + ((n * shape.channels + c) * shape.rows + y) * w;
          C* to = want_input ? dx.data<C>() + (n * shape.channels + c) * shape.plane : nullptr;
          row(plane, gr, at.offset.data(), at.weight.data(), at.taps, w, products.data(), to);
        }
        C* out = dgrid.data<C>() + r * w * shape.rank;
        for (int64_t p = 0; p < w; ++p)
          for (int d = 0; d < shape.rank; ++d) {
            C sum = 0;
            for (int64_t k = 0; k < at.taps; ++k) sum += at.slope[d][size_t(k * w + p)] * products[size_t(k * w + p)];
            out[p * shape.rank + d] = sum;
          }
      }
    });
    if (want_input && dx.get() != result[0].get()) copy_into(result[0], dx);
    if (dgrid.get() != result[1].get()) copy_into(result[1], dgrid);
  });
  return result;
}

Tensors<3> sample_grid_second_backward(const Tensor& ggx, const Tensor& ggg, const Tensor& grad, const Tensor& given,
                                       const Tensor& points, const Sampling& s) {
  Tensors<3> result;
  check_grid(given, points, 0, s);
  for (auto [gradient, of] : {std::pair{&ggx, &given}, std::pair{&ggg, &points}})
    if (gradient->defined())
      check(gradient->sizes() == of->sizes(), "grid_sampler backward: a gradient of sizes {} for sizes {}",
            gradient->sizes(), of->sizes());
  dispatch_floating(given.dtype(), "grid_sampler_second_backward", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Dtype wide = compute_dtype(given.dtype());
    auto zeros = [&](IntList sizes) {
      const Tensor t = empty(sizes, wide);
      if (t.numel() > 0) std::memset(t.data(), 0, size_t(t.numel() * t.itemsize()));
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
        at.find(grid.data<C>() + first, w, shape.rank, shape.in, s, true);
        tangent.find(grid.data<C>() + first, along.data<C>() + first, w, shape.rank, shape.in, s, at.taps);
        C* out = dgrid.data<C>() + first;
        for (int64_t c = 0; c < shape.channels; ++c) {
          const int64_t plane = (n * shape.channels + c) * shape.plane,
                        row = ((n * shape.channels + c) * shape.rows + y) * w;
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
    // The nearest element's gradient does not depend on the input at all.
    const Tensor input_gradient = s.mode == 1 ? Tensor() : dense_as(dx, given.dtype());
    result = {{dense_as(dg, grad.dtype()), input_gradient, dense_as(dgrid, points.dtype())}};
  });
  return result;
}

}  // namespace mt
