// Pooling row by row: each element of the window is one pass over a row of results, so that the inner loops run along rows.
#include "pool.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "../core/half.h"
#include "buffer.h"
#include "clones.h"
#include "convert.h"
#include "parallel.h"

namespace mt::cpu {
namespace {

using detail::chosen;

template <class T>
using Wide = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

// Rounded up, negative values to 0; most steps are 1, and a division costs more than the loop that it bounds.
constexpr int64_t up(int64_t a, int64_t b) { return a <= 0 ? 0 : b == 1 ? a : (a + b - 1) / b; }

// The results [low, high) of a row whose window has element `at` inside the image: 0 <= i * stride + at < size.
struct Inside {
  int64_t low, high;
  MT_INLINE Inside(int64_t at, int64_t stride, int64_t size, int64_t results)
      : low(std::min(results, up(-at, stride))), high(std::min(results, up(size - at, stride))) {}
};

template <class W>
constexpr W lowest() {
  if constexpr (std::is_floating_point_v<W>)
    return -std::numeric_limits<W>::infinity();
  else
    return std::numeric_limits<W>::lowest();
}

template <class W, class Index>
struct TakeLarger {
  static MT_INLINE void run(const W* from, int64_t stride, Index place, int64_t count, W* best, Index* places) {
    if (stride == 1)
      take<1>(from, 1, place, count, best, places);
    else if (stride == 2)
      take<2>(from, 2, place, count, best, places);
    else
      take<0>(from, stride, place, count, best, places);
  }
  template <int Step>
  static MT_INLINE void take(const W* from, int64_t stride, Index place, int64_t count, W* best, Index* places) {
    const int64_t step = Step ? Step : stride;
    for (int64_t i = 0; i < count; ++i) {
      const W value = from[i * step];
      const bool larger = (value > best[i]) | (value != value);
      best[i] = larger ? value : best[i];
      places[i] = larger ? Index(place + Index(i) * Index(step)) : places[i];
    }
  }
};
// The same for one pixel of all channels.
template <class T, class W, class Index>
struct TakeLargerPixel {
  static MT_INLINE void run(const T* from, Index place, int64_t count, W* best, Index* places) {
    for (int64_t i = 0; i < count; ++i) {
      const W value = static_cast<W>(from[i]);
      const bool larger = (value > best[i]) | (value != value);
      best[i] = larger ? value : best[i];
      places[i] = larger ? place : places[i];
    }
  }
};
template <class T, class W>
struct AddRow {
  static MT_INLINE void run(const T* from, int64_t stride, int64_t count, W* sums) {
    if (stride == 1)
      for (int64_t i = 0; i < count; ++i) sums[i] += static_cast<W>(from[i]);
    else if (stride == 2)
      for (int64_t i = 0; i < count; ++i) sums[i] += static_cast<W>(from[2 * i]);
    else
      for (int64_t i = 0; i < count; ++i) sums[i] += static_cast<W>(from[i * stride]);
  }
};
template <class W>
struct SpreadRow {
  static MT_INLINE void run(const W* from, int64_t stride, int64_t count, W* sums) {
    if (stride == 1)
      for (int64_t i = 0; i < count; ++i) sums[i] += from[i];
    else
      for (int64_t i = 0; i < count; ++i) sums[i * stride] += from[i];
  }
};

template <class W>
struct RepeatRow {
  static MT_INLINE void run(const W* from, int64_t count, int64_t times, W* to) {
    if (times == 2)
      repeat<2>(from, count, to);
    else if (times == 3)
      repeat<3>(from, count, to);
    else
      for (int64_t i = 0; i < count; ++i)
        for (int64_t j = 0; j < times; ++j) to[i * times + j] = from[i];
  }
  template <int Times>
  static MT_INLINE void repeat(const W* from, int64_t count, W* to) {
    for (int64_t i = 0; i < count; ++i)
      for (int j = 0; j < Times; ++j) to[i * Times + j] = from[i];
  }
};

int64_t row_grain(const PoolShape& s) {
  return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, s.out[2] * s.kernel[0] * s.kernel[1] * s.kernel[2]));
}

// The elements [low, high) of a window that start `first` before or within `size` pixels; however large the window, few are visited.
struct Elements {
  int64_t low, high;
  MT_INLINE Elements(const PoolShape& s, int i, int64_t first_start, int64_t last_start)
      : low(up(-last_start, s.dilation[i])), high(std::min(s.kernel[i], up(s.in[i] - first_start, s.dilation[i]))) {}
};

// Calls f(first pixel of the line) for the lines that the windows of row (d, h) cover.
template <class F>
MT_INLINE void for_lines(const PoolShape& s, int64_t d, int64_t h, F&& f) {
  const int64_t plane0 = d * s.stride[0] - s.padding[0], line0 = h * s.stride[1] - s.padding[1];
  const Elements planes(s, 0, plane0, plane0), lines(s, 1, line0, line0);
  for (int64_t kd = planes.low; kd < planes.high; ++kd)
    for (int64_t kh = lines.low; kh < lines.high; ++kh)
      f(((plane0 + kd * s.dilation[0]) * s.in[1] + line0 + kh * s.dilation[1]) * s.in[2]);
}

// Calls f(first pixel in the line, range of results) for the window elements along a line.
template <class F>
MT_INLINE void for_line(const PoolShape& s, F&& f) {
  const int64_t at0 = -s.padding[2];
  const Elements along(s, 2, at0, at0 + (s.out[2] - 1) * s.stride[2]);
  for (int64_t kw = along.low; kw < along.high; ++kw) {
    const int64_t at = at0 + kw * s.dilation[2];
    const Inside range(at, s.stride[2], s.in[2], s.out[2]);
    if (range.low < range.high) f(at + range.low * s.stride[2], range);
  }
}

// Calls f(first pixel, range of results) for the window elements of row (d, h).
template <class F>
MT_INLINE void for_window(const PoolShape& s, int64_t d, int64_t h, F&& f) {
  for_lines(s, d, h, [&](int64_t line) { for_line(s, [&](int64_t at, Inside range) { f(line + at, range); }); });
}

// A line's largest elements without their places: each element of the window is one pass over the results.
template <class W>
struct LargestOfLine {
  static MT_INLINE void run(const W* line, const PoolShape* shape, W* best) {
    const PoolShape& s = *shape;
    const int64_t stride = s.stride[2];
    for (int64_t i = 0; i < s.out[2]; ++i) best[i] = lowest<W>();
    for_line(s, [&](int64_t at, Inside range) {
      const int64_t count = range.high - range.low;
      if (stride == 1)
        keep<1>(line + at, 1, count, best + range.low);
      else if (stride == 2)
        keep<2>(line + at, 2, count, best + range.low);
      else
        keep<0>(line + at, stride, count, best + range.low);
    });
  }
  template <int Step>
  static MT_INLINE void keep(const W* from, int64_t stride, int64_t count, W* best) {
    const int64_t step = Step ? Step : stride;
    for (int64_t i = 0; i < count; ++i) {
      const W value = from[i * step];
      best[i] = (value > best[i]) | (value != value) ? value : best[i];
    }
  }
};

// Lines of half types as floats, converted whole; others where they lie.
template <class T>
class WideLine {
 public:
  using W = Wide<T>;
  static constexpr bool converts = !std::is_same_v<T, W>;
  static constexpr Dtype narrow = std::is_same_v<T, Half> ? Dtype::float16 : Dtype::bfloat16;
  explicit WideLine(int64_t n) : buffer_(converts ? n : 0) {}
  const W* read(const T* line, int64_t n) {
    if constexpr (!converts) {
      return line;
    } else {
      static const Conversion widen(Dtype::float32, narrow);
      widen(buffer_.data(), sizeof(W), line, sizeof(T), n);
      return buffer_.data();
    }
  }
  static void write(T* line, const W* from, int64_t n) {
    if constexpr (!converts) {
      std::copy_n(from, n, line);
    } else {
      static const Conversion round(narrow, Dtype::float32);
      round(line, sizeof(T), from, sizeof(W), n);
    }
  }

 private:
  Buffer<W> buffer_;
};

template <class T, class Index>
void max_pool_rows(const PoolShape& s, const T* x, T* y, int64_t* place) {
  using W = Wide<T>;
  const auto take = chosen<TakeLarger<W, Index>>(TakeLarger<W, Index>::run);
  const int64_t rows = s.out[0] * s.out[1], width = s.out[2];
  parallel_for(0, s.planes * rows, row_grain(s), [&](int64_t begin, int64_t end) {
    Buffer<W> best(width);
    Buffer<Index> places(width);
    WideLine<T> wide(s.in[2]);
    for (int64_t r = begin; r < end; ++r) {
      const int64_t d = r % rows / s.out[1], h = r % s.out[1];
      const T* plane = x + r / rows * s.in_size();
      std::fill_n(best.data(), width, lowest<W>());
      // Where nothing is larger than the lowest value, the first element of the window counts.
      std::fill_n(places.data(), width, Index(-1));
      for_lines(s, d, h, [&](int64_t line) {
        const W* row = wide.read(plane + line, s.in[2]);
        for_line(s, [&](int64_t at, Inside range) {
          const int64_t from = line + at;
          for (int64_t i = range.low; i < range.high && places.data()[i] < 0; ++i)
            places.data()[i] = Index(from + (i - range.low) * s.stride[2]);
          take(row + at, s.stride[2], Index(from), range.high - range.low, best.data() + range.low, places.data() + range.low);
        });
      });
      wide.write(y + r * width, best.data(), width);
      for (int64_t i = 0; i < width; ++i) place[r * width + i] = places.data()[i];
    }
  });
}

// By what the sums of each row are divided.
class Divisors {
 public:
  Divisors(const PoolShape& s, PoolDivisor divisor) : s_(s), divisor_(divisor), along_(s.out[2]) {
    for (int64_t i = 0; i < s.out[2]; ++i) along_.data()[i] = extent(2, i);
  }
  // For row (d, h); windows without a pixel, whose sum is 0, are divided by 1.
  template <class W>
  void row(int64_t d, int64_t h, W* out) {
    const int64_t across = extent(0, d) * extent(1, h);
    for (int64_t i = 0; i < s_.out[2]; ++i) {
      const int64_t size = across * along_.data()[i];
      out[i] = size ? W(divisor_.divisor ? divisor_.divisor : size) : W(1);
    }
  }

 private:
  int64_t extent(int i, int64_t o) const {
    const int64_t start = o * s_.stride[i] - s_.padding[i], stop = std::min(start + s_.kernel[i], s_.in[i] + s_.padding[i]);
    const int64_t inside = std::max<int64_t>(0, std::min(stop, s_.in[i]) - std::max<int64_t>(start, 0));
    return divisor_.count_include_pad && inside ? stop - start : inside;
  }
  const PoolShape& s_;
  PoolDivisor divisor_;
  Buffer<int64_t> along_;
};
template <class W>
W divided(W sum, W by) {
  if constexpr (std::is_floating_point_v<W>)
    return sum / by;
  else
    return by == W(-1) ? W(0 - uint64_t(sum)) : sum / by;
}

// Calls f(pixel) for the pixels of the window of result (d, h, w), in order.
template <class F>
MT_INLINE void for_pixels(const PoolShape& s, int64_t d, int64_t h, int64_t w, F&& f) {
  const int64_t at0 = w * s.stride[2] - s.padding[2];
  const Elements along(s, 2, at0, at0);
  for_lines(s, d, h, [&](int64_t line) {
    for (int64_t kw = along.low; kw < along.high; ++kw) f(line + at0 + kw * s.dilation[2]);
  });
}

template <class T, class Index>
void max_pool_pixels(const PoolShape& s, int64_t channels, const T* x, T* y, int64_t* place) {
  using W = Wide<T>;
  const auto take = chosen<TakeLargerPixel<T, W, Index>>(TakeLargerPixel<T, W, Index>::run);
  const int64_t size = s.out_size();
  parallel_for(0, s.planes * size, std::max<int64_t>(1, 4096 / std::max<int64_t>(1, channels)), [&](int64_t begin, int64_t end) {
    Buffer<W> best(channels);
    Buffer<Index> places(channels);
    for (int64_t r = begin; r < end; ++r) {
      const T* image = x + r / size * s.in_size() * channels;
      std::fill_n(best.data(), channels, lowest<W>());
      bool first = true;
      for_pixels(s, r % size / (s.out[1] * s.out[2]), r / s.out[2] % s.out[1], r % s.out[2], [&](int64_t pixel) {
        if (first) std::fill_n(places.data(), channels, Index(pixel));
        first = false;
        take(image + pixel * channels, Index(pixel), channels, best.data(), places.data());
      });
      for (int64_t i = 0; i < channels; ++i) y[r * channels + i] = static_cast<T>(best.data()[i]);
      for (int64_t i = 0; i < channels; ++i) place[r * channels + i] = places.data()[i];
    }
  });
}

}  // namespace

template <class T>
void max_pool_channels_last(const PoolShape& s, int64_t channels, const T* x, T* y, int64_t* place) {
  if (s.in_size() <= INT32_MAX)
    max_pool_pixels<T, int32_t>(s, channels, x, y, place);
  else
    max_pool_pixels<T, int64_t>(s, channels, x, y, place);
}

template <class T>
void avg_pool_channels_last(const PoolShape& s, PoolDivisor divisor, int64_t channels, const T* x, T* y) {
  using W = Wide<T>;
  const auto add = chosen<AddRow<T, W>>(AddRow<T, W>::run);
  const int64_t rows = s.out[0] * s.out[1], width = s.out[2];
  parallel_for(0, s.planes * rows, std::max<int64_t>(1, 4096 / std::max<int64_t>(1, channels * width)), [&](int64_t begin, int64_t end) {
    Buffer<W> sums(channels), by(width);
    Divisors divisors(s, divisor);
    for (int64_t r = begin; r < end; ++r) {
      const int64_t d = r % rows / s.out[1], h = r % s.out[1];
      const T* image = x + r / rows * s.in_size() * channels;
      divisors.row(d, h, by.data());
      for (int64_t w = 0; w < width; ++w) {
        std::fill_n(sums.data(), channels, W(0));
        for_pixels(s, d, h, w, [&](int64_t pixel) { add(image + pixel * channels, 1, channels, sums.data()); });
        T* to = y + (r * width + w) * channels;
        for (int64_t i = 0; i < channels; ++i) to[i] = static_cast<T>(divided(sums.data()[i], by.data()[w]));
      }
    }
  });
}

template <class T>
void max_pool(const PoolShape& s, const T* x, T* y, int64_t* place) {
  if (s.in_size() <= INT32_MAX)
    max_pool_rows<T, int32_t>(s, x, y, place);
  else
    max_pool_rows<T, int64_t>(s, x, y, place);
}

template <class T>
void max_pool_lines(const PoolShape& s, const T* x, T* y) {
  using W = Wide<T>;
  const auto largest = chosen<LargestOfLine<W>>(LargestOfLine<W>::run);
  const int64_t width = s.out[2];
  parallel_for(0, s.planes, row_grain(s), [&](int64_t begin, int64_t end) {
    Buffer<W> best(width);
    WideLine<T> wide(s.in[2]);
    for (int64_t r = begin; r < end; ++r) {
      largest(wide.read(x + r * s.in[2], s.in[2]), &s, best.data());
      wide.write(y + r * width, best.data(), width);
    }
  });
}

template <class T>
void avg_pool(const PoolShape& s, PoolDivisor divisor, const T* x, T* y) {
  using W = Wide<T>;
  const auto add = chosen<AddRow<W, W>>(AddRow<W, W>::run);
  const int64_t rows = s.out[0] * s.out[1], width = s.out[2];
  parallel_for(0, s.planes * rows, row_grain(s), [&](int64_t begin, int64_t end) {
    Buffer<W> sums(width), by(width);
    WideLine<T> wide(s.in[2]);
    Divisors divisors(s, divisor);
    for (int64_t r = begin; r < end; ++r) {
      const int64_t d = r % rows / s.out[1], h = r % s.out[1];
      const T* plane = x + r / rows * s.in_size();
      std::fill_n(sums.data(), width, W(0));
      for_lines(s, d, h, [&](int64_t line) {
        const W* row = wide.read(plane + line, s.in[2]);
        for_line(s, [&](int64_t at, Inside range) {
          add(row + at, s.stride[2], range.high - range.low, sums.data() + range.low);
        });
      });
      divisors.row(d, h, by.data());
      for (int64_t i = 0; i < width; ++i) sums.data()[i] = divided(sums.data()[i], by.data()[i]);
      wide.write(y + r * width, sums.data(), width);
    }
  });
}

template <class T>
void avg_pool_backward(const PoolShape& s, PoolDivisor divisor, const T* y, T* x) {
  using W = Wide<T>;
  const auto spread = chosen<SpreadRow<W>>(SpreadRow<W>::run);
  const auto repeat = chosen<RepeatRow<W>>(RepeatRow<W>::run);
  const auto add = chosen<AddRow<W, W>>(AddRow<W, W>::run);
  const int64_t width = s.out[2], size = s.in_size();
  const bool beside = s.padding[2] == 0 && s.kernel[2] == s.stride[2] && width * s.kernel[2] <= s.in[2];
  bool once = beside;  // no two windows share a pixel
  for (int i = 0; i < 2; ++i) once &= s.padding[i] == 0 && s.kernel[i] == s.stride[i];
  constexpr bool in_place = std::is_same_v<T, W>;
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, s.out_size() * s.kernel[0] * s.kernel[1] * s.kernel[2]));
  parallel_for(0, s.planes, grain, [&](int64_t begin, int64_t end) {
    Buffer<W> shares(width), by(width), own(in_place ? 0 : size), line(s.in[2]);
    Divisors divisors(s, divisor);
    for (int64_t p = begin; p < end; ++p) {
      W* plane = own.data();
      if constexpr (in_place) plane = x + p * size;
      std::fill_n(plane, size, W(0));
      for (int64_t d = 0; d < s.out[0]; ++d)
        for (int64_t h = 0; h < s.out[1]; ++h) {
          const T* row = y + ((p * s.out[0] + d) * s.out[1] + h) * width;
          divisors.row(d, h, by.data());
          for (int64_t i = 0; i < width; ++i) shares.data()[i] = divided(static_cast<W>(row[i]), by.data()[i]);
          if (beside) {
            // Windows side by side along the row: it is written once and added to each line.
            repeat(shares.data(), width, s.kernel[2], line.data());
            const int64_t length = width * s.kernel[2];
            for_lines(s, d, h, [&](int64_t from) {
              if (once) std::copy_n(line.data(), length, plane + from);
              else add(line.data(), 1, length, plane + from);
            });
            continue;
          }
          for_window(s, d, h, [&](int64_t from, Inside range) {
            spread(shares.data() + range.low, s.stride[2], range.high - range.low, plane + from);
          });
        }
      if constexpr (!in_place)
        for (int64_t i = 0; i < size; ++i) x[p * size + i] = static_cast<T>(plane[i]);
    }
  });
}

#define MT_INSTANTIATE(T)                                                   \
  template void max_pool<T>(const PoolShape&, const T*, T*, int64_t*);      \
  template void max_pool_channels_last<T>(const PoolShape&, int64_t, const T*, T*, int64_t*);
MT_INSTANTIATE(float)
MT_INSTANTIATE(double)
MT_INSTANTIATE(Half)
MT_INSTANTIATE(BFloat16)
MT_INSTANTIATE(int8_t)
MT_INSTANTIATE(int16_t)
MT_INSTANTIATE(int32_t)
MT_INSTANTIATE(int64_t)
MT_INSTANTIATE(uint8_t)
#undef MT_INSTANTIATE
#define MT_INSTANTIATE(T) template void max_pool_lines<T>(const PoolShape&, const T*, T*);
MT_INSTANTIATE(float)
MT_INSTANTIATE(double)
MT_INSTANTIATE(Half)
MT_INSTANTIATE(BFloat16)
#undef MT_INSTANTIATE
#define MT_INSTANTIATE(T)                                                       \
  template void avg_pool<T>(const PoolShape&, PoolDivisor, const T*, T*);       \
  template void avg_pool_channels_last<T>(const PoolShape&, PoolDivisor, int64_t, const T*, T*); \
  template void avg_pool_backward<T>(const PoolShape&, PoolDivisor, const T*, T*);
MT_INSTANTIATE(float)
MT_INSTANTIATE(double)
MT_INSTANTIATE(Half)
MT_INSTANTIATE(BFloat16)
MT_INSTANTIATE(int64_t)
#undef MT_INSTANTIATE

}  // namespace mt::cpu
