// The largest elements of windows along a line, without their indices.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "cpu/clones.h"
#include "cpu/pool/pool.h"

namespace mt::cpu::detail {

// Returns a quotient rounded up, 0 for negative values; most steps are 1, and a division would cost more than the loop that it bounds.
constexpr int64_t divide_up(int64_t a, int64_t b) { return a <= 0 ? 0 : b == 1 ? a : (a + b - 1) / b; }

template <class W>
constexpr W lowest() {
  if constexpr (std::is_floating_point_v<W>)
    return -std::numeric_limits<W>::infinity();
  else
    return std::numeric_limits<W>::lowest();
}

// Whether `value` replaces the largest element so far: the first of equal elements stays, and the last NaN.
template <class W>
MT_INLINE bool should_replace(W value, W best) {
  if constexpr (std::is_floating_point_v<W>)
    return (value > best) | (value != value);
  else
    return value > best;
}

// Processes whole windows in vectors of `Bytes` bytes.
template <class W>
struct LineKernels {
  template <int Bytes>
  struct Largest {
    static constexpr int lanes = Bytes / int(sizeof(W));
    using V [[gnu::vector_size(Bytes)]] = W;
    using Lanes = std::make_index_sequence<size_t(lanes)>;

    static MT_INLINE void run(const W* line, const PoolShape* shape, W* maxima) {
      const PoolShape& s = *shape;
      const int64_t stride = s.stride[2], results = s.out[2], last = (s.kernel[2] - 1) * s.dilation[2];
      const int64_t low = std::min(results, divide_up(s.padding[2], stride));
      const int64_t high = std::clamp(divide_up(s.in[2] + s.padding[2] - last, stride), low, results);
      int64_t i = low;
      if (stride == 1)
        i = whole_windows(line, s, low, high, maxima, [](const W* from, V& v) { std::memcpy(&v, from, Bytes); });
      else if (stride == 2)
        i = whole_windows(line, s, low, high, maxima, [](const W* from, V& v) { load_every_second(from, Lanes(), v); });
      else
        i = whole_windows(line, s, low, high, maxima, [stride](const W* from, V& v) { load_with_step(from, stride, Lanes(), v); });
      if (i < high && i >= low + lanes)  // a last vector that overlaps results that are done already
        i = whole_windows(line, s, high - lanes, high + 1, maxima,
                          [stride](const W* from, V& v) { load_with_step(from, stride, Lanes(), v); });
      for (int64_t k = i; k < high; ++k) window(line, s, k, maxima);
      for (int64_t k = 0; k < low; ++k) window(line, s, k, maxima);
      for (int64_t k = high; k < results; ++k) window(line, s, k, maxima);
    }
    // Excludes the last results: with stride 2, the second vector would read one pixel beyond their windows.
    template <class F>
    static MT_INLINE int64_t whole_windows(const W* line, const PoolShape& s, int64_t i, int64_t high, W* best, F&& read) {
      for (; i + lanes < high; i += lanes) {
        const W* const from = line + i * s.stride[2] - s.padding[2];
        V own{}, value{};
        read(from, own);
        for (int64_t k = 1; k < s.kernel[2]; ++k) {
          read(from + k * s.dilation[2], value);
          own = (value > own) | (value != value) ? value : own;
        }
        std::memcpy(best + i, &own, Bytes);
      }
      return i;
    }
    // Computes one result from the window elements inside the line; skips the others, however large the window.
    static MT_INLINE void window(const W* line, const PoolShape& s, int64_t i, W* best) {
      const int64_t start = i * s.stride[2] - s.padding[2], step = s.dilation[2];
      const int64_t end = std::min(s.kernel[2], divide_up(s.in[2] - start, step));
      W own = lowest<W>();
      for (int64_t k = divide_up(-start, step); k < end; ++k)
        own = should_replace(line[start + k * step], own) ? line[start + k * step] : own;
      best[i] = own;
    }
    template <size_t... J>
    static MT_INLINE void load_every_second(const W* from, std::index_sequence<J...>, V& v) {
      V low{}, high{};
      std::memcpy(&low, from, Bytes), std::memcpy(&high, from + lanes, Bytes);
      v = __builtin_shufflevector(low, high, int(2 * J)...);
    }
    template <size_t... J>
    static MT_INLINE void load_with_step(const W* from, int64_t step, std::index_sequence<J...>, V& v) {
      v = V{from[int64_t(J) * step]...};
    }
  };
};

}  // namespace mt::cpu::detail
