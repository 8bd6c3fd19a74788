// Which input positions, with which weights, make each output position along one resampled dimension.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace mt::cpu {

enum class Filter : int8_t { nearest, nearest_exact, linear, cubic, linear_aa, cubic_aa, lanczos_aa };
constexpr bool is_nearest(Filter f) { return f == Filter::nearest || f == Filter::nearest_exact; }
constexpr bool is_antialiased(Filter f) { return f >= Filter::linear_aa; }

// The taps of each of `places` output positions, at most `most` each: input indices and weights, stored tap by tap, so that a loop over
// positions reads contiguous memory. A position with fewer taps has weights of 0, and its number of taps in `count`.
template <class C>
struct Taps {
  int64_t places = 0, most = 0, input = 0;
  std::vector<int32_t> index;
  std::vector<C> weight;
  std::vector<int32_t> count;  // empty: all have `most`
  bool are_means = false;      // sums are divided by `count`, one dimension after the other
  void allocate_taps(int64_t n, int64_t k) {
    places = n, most = k;
    index.assign(size_t(n * k), 0);
    weight.assign(size_t(n * k), C(0));
  }
  void set_tap(int64_t place, int64_t tap, int64_t from, C w) {
    index[size_t(tap * places + place)] = int32_t(from);
    weight[size_t(tap * places + place)] = w;
  }
  int64_t taps_of(int64_t place) const { return count.empty() ? most : count[size_t(place)]; }
};

// The transpose: for each input position the output positions to which it contributes, with weights, in order.
template <class C>
Taps<C> transpose_taps(const Taps<C>& given) {
  Taps<C> taps;
  taps.input = given.places;
  std::vector<int32_t> count(size_t(given.input), 0);
  const auto walk = [&](auto&& f) {
    for (int64_t i = 0; i < given.places; ++i)
      for (int64_t t = 0, n = given.taps_of(i); t < n; ++t) {
        const size_t at = size_t(t * given.places + i);
        f(given.index[at], i, given.weight[at]);
      }
  };
  walk([&](int64_t to, int64_t, C) { ++count[size_t(to)]; });
  const auto [least, most] = std::minmax_element(count.begin(), count.end());
  taps.allocate_taps(given.input, std::max(*most, 1));
  const bool is_even = *least > 0 && *most <= 8;
  taps.count.assign(size_t(given.input), 0);
  walk([&](int64_t to, int64_t from, C w) { taps.set_tap(to, taps.count[size_t(to)]++, from, w); });
  if (!is_even) return taps;
  // Gives all positions the same number of taps, for which loops are faster: splits the last tap of a position with fewer taps, which is
  // exact.
  for (int64_t i = 0; i < taps.places; ++i)
    for (int64_t n = taps.count[size_t(i)]; n < taps.most; ++n) {
      C& w = taps.weight[size_t((n - 1) * taps.places + i)];
      w /= 2;
      taps.set_tap(i, n, taps.index[size_t((n - 1) * taps.places + i)], w);
    }
  taps.count.clear();
  return taps;
}

// The taps of means over windows that divide the input evenly.
inline Taps<float> window_taps(int64_t in, int64_t out) {
  Taps<float> taps;
  taps.input = in, taps.are_means = true;
  const auto first = [&](int64_t i) { return i / out * in + i % out * in / out; };
  const auto end = [&](int64_t i) { return 1 + ((i + 1) * in - 1) / out; };
  int64_t most = 1;
  for (int64_t i = 0; i < out; ++i) most = std::max(most, end(i) - first(i));
  taps.allocate_taps(out, most);
  for (int64_t i = 0; i < out; ++i) {
    taps.count.push_back(int32_t(end(i) - first(i)));
    for (int64_t t = 0; t < taps.count.back(); ++t) taps.set_tap(i, t, first(i) + t, 1.0f);
  }
  return taps;
}

// The distance between neighbouring output positions, in input elements.
template <class C>
C source_scale(int64_t in, int64_t out, bool align_corners, std::optional<double> scale) {
  if (align_corners) return out > 1 ? C(in - 1) / C(out - 1) : C(0);
  return scale && *scale > 0 ? C(1.0 / *scale) : C(in) / C(out);
}

// Finds nearest neighbours in float, whatever the dtype. `shortcuts`: equal and doubled sizes are copied whatever the
// scale.
template <class C>
void nearest_taps(Taps<C>& taps, int64_t in, int64_t out, std::optional<double> scale, bool exact, bool shortcuts) {
  taps.allocate_taps(out, 1);
  const C step = source_scale<C>(in, out, false, scale);
  for (int64_t i = 0; i < out; ++i) {
    int64_t from;
    if (!exact && shortcuts && out == in)
      from = i;
    else if (!exact && shortcuts && out == 2 * in)
      from = i >> 1;
    else if (exact)
      from = int64_t(std::floor(float(std::max(step * (C(i) + C(0.5)) - C(0.5), C(0)) + C(0.5))));
    else
      from = int64_t(std::floor(float(step * C(i))));
    taps.set_tap(i, 0, std::clamp<int64_t>(from, 0, in - 1), C(1));
  }
}

template <class C>
void linear_taps(Taps<C>& taps, int64_t in, int64_t out, bool align_corners, std::optional<double> scale) {
  taps.allocate_taps(out, 2);
  const C step = source_scale<C>(in, out, align_corners, scale);
  for (int64_t i = 0; i < out; ++i) {
    const C at = align_corners ? step * C(i) : std::max(step * (C(i) + C(0.5)) - C(0.5), C(0));
    const int64_t first = in == out ? i : std::min(int64_t(at), in - 1);
    const C share = in == out ? C(0) : std::clamp(at - C(first), C(0), C(1));
    taps.set_tap(i, 0, first, C(1) - share);
    taps.set_tap(i, 1, in == out ? i : first + (first < in - 1), share);
  }
}

// Keys' cubic convolution with parameter a, at distance x.
template <class C>
C cubic_weight(C x, C a) {
  x = std::abs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}
template <class C>
void cubic_taps(Taps<C>& taps, int64_t in, int64_t out, bool align_corners, std::optional<double> scale) {
  constexpr C a = C(-0.75);
  taps.allocate_taps(out, 4);
  const C step = source_scale<C>(in, out, align_corners, scale);
  for (int64_t i = 0; i < out; ++i) {
    const C at = align_corners ? step * C(i) : step * (C(i) + C(0.5)) - C(0.5);
    const int64_t first = std::min(int64_t(std::floor(at)), in - 1);
    const C share = std::clamp(at - C(first), C(0), C(1));
    const C weights[] = {cubic_weight(share + 1, a), cubic_weight(share, a), cubic_weight(1 - share, a), cubic_weight(2 - share, a)};
    for (int t = 0; t < 4; ++t) taps.set_tap(i, t, std::clamp<int64_t>(first - 1 + t, 0, in - 1), weights[t]);
  }
}

template <class C>
C antialias_weight(Filter filter, C x) {
  x = std::abs(x);
  if (filter == Filter::linear_aa) return x < 1 ? 1 - x : C(0);
  if (filter == Filter::cubic_aa) return cubic_weight(x, C(-0.5));
  if (x >= 3) return 0;
  if (x == 0) return 1;
  const C px = C(3.14159265358979323846) * x;
  return 3 * std::sin(px) * std::sin(px / 3) / (px * px);
}
// The filter is stretched over all input elements that an output element covers.
template <class C>
void antialias_taps(Taps<C>& taps, Filter filter, int64_t in, int64_t out, bool align_corners, std::optional<double> scale) {
  const C step = source_scale<C>(in, out, align_corners, scale);
  const C radius = filter == Filter::linear_aa ? 1 : filter == Filter::cubic_aa ? 2 : 3;
  const C support = step >= 1 ? radius * step : radius, narrow = step >= 1 ? 1 / step : C(1);
  const int64_t most = std::min(double(std::ceil(support)) * 2 + 1, double(in) + 1) + 0.0;
  taps.allocate_taps(out, most);
  taps.count.resize(size_t(out));
  for (int64_t i = 0; i < out; ++i) {
    const C center = step * (C(i) + C(0.5));
    const int64_t first = std::clamp<int64_t>(int64_t(center - support + C(0.5)), 0, in - 1);
    const int64_t n = std::clamp<int64_t>(std::min(int64_t(center + support + C(0.5)), in) - first, 0, most);
    C total = 0;
    for (int64_t t = 0; t < n; ++t) total += antialias_weight(filter, (C(t + first) - center + C(0.5)) * narrow);
    for (int64_t t = 0; t < n; ++t) {
      const C w = antialias_weight(filter, (C(t + first) - center + C(0.5)) * narrow);
      taps.set_tap(i, t, first + t, total != 0 ? w / total : w);
    }
    for (int64_t t = n; t < most; ++t) taps.set_tap(i, t, first, C(0));
    taps.count[size_t(i)] = int32_t(n);
  }
}

// The taps of any filter, for a dimension of at most 2^31 - 1 elements.
template <class C>
Taps<C> taps_of(Filter filter, int64_t in, int64_t out, bool align_corners, std::optional<double> scale, bool shortcuts, bool skips_equal) {
  Taps<C> taps;
  if (in == out && skips_equal) {  // no pass over this dimension, whatever the scale
    taps.allocate_taps(out, 1);
    for (int64_t i = 0; i < out; ++i) taps.set_tap(i, 0, i, C(1));
  } else if (is_nearest(filter))
    nearest_taps(taps, in, out, scale, filter == Filter::nearest_exact, shortcuts);
  else if (filter == Filter::linear)
    linear_taps(taps, in, out, align_corners, scale);
  else if (filter == Filter::cubic)
    cubic_taps(taps, in, out, align_corners, scale);
  else
    antialias_taps(taps, filter, in, out, align_corners, scale);
  taps.input = in;
  return taps;
}

}  // namespace mt::cpu
