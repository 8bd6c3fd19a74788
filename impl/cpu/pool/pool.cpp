// Pooling row by row: each window element is one pass over a row of results, so that the inner loops run along rows.
#include "cpu/pool/pool.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/half.h"
#include "cpu/buffer.h"
#include "cpu/clones.h"
#include "cpu/copy/convert.h"
#include "cpu/pool/pool_lines.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu {
namespace {

using detail::choose_clone;
using detail::divide_up;
using detail::lowest;
using detail::should_replace;

template <class T>
using Wide = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

// The results [low, high) of a row for which window element `at` is inside the image: 0 <= i * stride + at < size.
struct Inside {
  int64_t low, high;
  MT_INLINE Inside(int64_t at, int64_t stride, int64_t size, int64_t results)
      : low(std::min(results, divide_up(-at, stride))), high(std::min(results, divide_up(size - at, stride))) {}
};

template <class W>
struct TakeLarger {
  using Index = int32_t;
  static MT_INLINE void run(const W* candidates, int64_t stride, Index first_index, int64_t count, W* best, Index* best_indices) {
    if (stride == 1)
      take_larger<1>(candidates, 1, first_index, count, best, best_indices);
    else if (stride == 2)
      take_larger<2>(candidates, 2, first_index, count, best, best_indices);
    else
      take_larger<0>(candidates, stride, first_index, count, best, best_indices);
  }
  template <int Step>
  static MT_INLINE void take_larger(const W* from, int64_t stride, Index place, int64_t count, W* best, Index* places) {
    const int64_t step = Step ? Step : stride;
    for (int64_t i = 0; i < count; ++i) {
      const W value = from[i * step];
      const bool larger = should_replace(value, best[i]);
      best[i] = larger ? value : best[i];
      places[i] = larger ? Index(place + Index(i) * Index(step)) : places[i];
    }
  }
};
template <class W>
struct AddRow {
  static MT_INLINE void run(const W* from, int64_t stride, int64_t count, W* sums) {
    if (stride == 1)
      for (int64_t i = 0; i < count; ++i) sums[i] += from[i];
    else if (stride == 2)
      for (int64_t i = 0; i < count; ++i) sums[i] += from[2 * i];
    else
      for (int64_t i = 0; i < count; ++i) sums[i] += from[i * stride];
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
  static MT_INLINE void run(const W* from, int64_t count, int64_t times, W* repeated) {
    if (times == 2)
      repeat_each<2>(from, count, repeated);
    else if (times == 3)
      repeat_each<3>(from, count, repeated);
    else
      for (int64_t i = 0; i < count; ++i)
        for (int64_t j = 0; j < times; ++j) repeated[i * times + j] = from[i];
  }
  template <int Times>
  static MT_INLINE void repeat_each(const W* from, int64_t count, W* to) {
    for (int64_t i = 0; i < count; ++i)
      for (int j = 0; j < Times; ++j) to[i * Times + j] = from[i];
  }
};

int64_t row_grain(const PoolShape& s) {
  return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, s.out[2] * s.kernel[0] * s.kernel[1] * s.kernel[2]));
}

// The window elements [low, high) that are inside the image, if the window starts at `first`: skips the others, however large the window.
struct Elements {
  int64_t low, high;
  MT_INLINE Elements(const PoolShape& s, int i, int64_t first_start, int64_t last_start)
      : low(divide_up(-last_start, s.dilation[i])), high(std::min(s.kernel[i], divide_up(s.in[i] - first_start, s.dilation[i]))) {}
};

// Calls f(first pixel of the line) for each input line that the windows of result row (d, h) cover.
template <class F>
MT_INLINE void for_each_window_line(const PoolShape& s, int64_t d, int64_t h, F&& f) {
  const int64_t plane0 = d * s.stride[0] - s.padding[0], line0 = h * s.stride[1] - s.padding[1];
  const Elements planes(s, 0, plane0, plane0), lines(s, 1, line0, line0);
  for (int64_t kd = planes.low; kd < planes.high; ++kd)
    for (int64_t kh = lines.low; kh < lines.high; ++kh) f(((plane0 + kd * s.dilation[0]) * s.in[1] + line0 + kh * s.dilation[1]) * s.in[2]);
}

// Calls f(first pixel in the line, range of results) for each window element along a line.
template <class F>
MT_INLINE void for_each_window_element_of_line(const PoolShape& s, F&& f) {
  const int64_t at0 = -s.padding[2];
  const Elements along(s, 2, at0, at0 + (s.out[2] - 1) * s.stride[2]);
  for (int64_t kw = along.low; kw < along.high; ++kw) {
    const int64_t at = at0 + kw * s.dilation[2];
    const Inside range(at, s.stride[2], s.in[2], s.out[2]);
    if (range.low < range.high) f(at + range.low * s.stride[2], range);
  }
}

// Calls f(first pixel, range of results) for each window element of result row (d, h).
template <class F>
MT_INLINE void for_each_window_element(const PoolShape& s, int64_t d, int64_t h, F&& f) {
  for_each_window_line(s, d, h,
                       [&](int64_t line) { for_each_window_element_of_line(s, [&](int64_t at, Inside range) { f(line + at, range); }); });
}

// Converts whole lines of half types to float; lines of other types are read in place.
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

template <class T>
void max_pool_rows(const PoolShape& s, const T* x, T* y, int64_t* place) {
  using W = Wide<T>;
  using Index = int32_t;
  const auto take_larger = choose_clone<TakeLarger<W>>(TakeLarger<W>::run);
  const int64_t rows = s.out[0] * s.out[1], width = s.out[2];
  parallel_for(0, s.planes * rows, row_grain(s), [&](int64_t begin, int64_t end) {
    Buffer<W> best(width);
    Buffer<Index> places(width);
    WideLine<T> wide(s.in[2]);
    for (int64_t r = begin; r < end; ++r) {
      const int64_t d = r % rows / s.out[1], h = r % s.out[1];
      const T* plane = x + r / rows * s.in_size();
      std::fill_n(best.data(), width, lowest<W>());
      // If no element exceeds the lowest value, the window's first element is the maximum.
      std::fill_n(places.data(), width, Index(-1));
      for_each_window_line(s, d, h, [&](int64_t line) {
        const W* row = wide.read(plane + line, s.in[2]);
        for_each_window_element_of_line(s, [&](int64_t at, Inside range) {
          const int64_t from = line + at;
          for (int64_t i = range.low; i < range.high && places.data()[i] < 0; ++i)
            places.data()[i] = Index(from + (i - range.low) * s.stride[2]);
          take_larger(row + at, s.stride[2], Index(from), range.high - range.low, best.data() + range.low, places.data() + range.low);
        });
      });
      wide.write(y + r * width, best.data(), width);
      for (int64_t i = 0; i < width; ++i) place[r * width + i] = places.data()[i];
    }
  });
}

// The number of pixels along one dimension that count in the average of result `o`.
int64_t count_divisor_pixels(const PoolShape& s, bool count_include_pad, int i, int64_t o) {
  const int64_t start = o * s.stride[i] - s.padding[i], stop = std::min(start + s.kernel[i], s.in[i] + s.padding[i]);
  const int64_t inside = std::max<int64_t>(0, std::min(stop, s.in[i]) - std::max<int64_t>(start, 0));
  return count_include_pad && inside ? stop - start : inside;
}

// The divisors for the sums of each row.
class Divisors {
 public:
  Divisors(const PoolShape& s, PoolDivisor divisor) : s_(s), divisor_(divisor), along_(s.out[2]) {
    for (int64_t i = 0; i < s.out[2]; ++i) along_.data()[i] = count_divisor_pixels(2, i);
  }
  // Writes the divisors for row (d, h) of the results; a window without pixels has sum 0 and divisor 1.
  template <class W>
  void fill_row_divisors(int64_t d, int64_t h, W* out) {
    const int64_t across = count_divisor_pixels(0, d) * count_divisor_pixels(1, h);
    for (int64_t i = 0; i < s_.out[2]; ++i) {
      const int64_t size = across * along_.data()[i];
      out[i] = size ? W(divisor_.divisor ? divisor_.divisor : size) : W(1);
    }
  }

 private:
  int64_t count_divisor_pixels(int i, int64_t o) const { return cpu::count_divisor_pixels(s_, divisor_.count_include_pad, i, o); }
  const PoolShape& s_;
  PoolDivisor divisor_;
  Buffer<int64_t> along_;
};
template <class W>
W divide_sum(W sum, W by) {
  if constexpr (std::is_floating_point_v<W>)
    return sum / by;
  else
    return by == W(-1) ? W(0 - uint64_t(sum)) : sum / by;
}

// The pixels in the window of one result, which select_window() selects, and the divisor of their sum.
class WindowPixels {
 public:
  explicit WindowPixels(const PoolWindows& windows) : w_(windows) {}
  void select_window(int64_t result) {
    const int64_t rows = int64_t(w_.along[1].size()), width = int64_t(w_.along[2].size());
    const PoolSpan &d = w_.along[0][size_t(result / width / rows)], &h = w_.along[1][size_t(result / width % rows)],
                   &w = w_.along[2][size_t(result % width)];
    pixels_.resize(size_t(d.count * h.count * w.count));
    int64_t* to = pixels_.data();
    for (int64_t i = 0; i < d.count; ++i)
      for (int64_t j = 0; j < h.count; ++j) {
        const int64_t line = ((d.first + i * d.step) * w_.in[1] + h.first + j * h.step) * w_.in[2] + w.first;
        for (int64_t k = 0; k < w.count; ++k) *to++ = line + k * w.step;
      }
    n_divisors_ = 0;
    if (w_.in_turn) {
      for (const int64_t along : {d.size, h.size, w.size})
        if (along != 1) divisors_[n_divisors_++] = along;
      return;
    }
    const int64_t size = d.size * h.size * w.size;  // a window without pixels has sum 0, which is not divided
    if (size != 0) divisors_[n_divisors_++] = w_.divisor ? w_.divisor : size;
  }
  const int64_t* begin() const { return pixels_.data(); }
  int64_t count() const { return int64_t(pixels_.size()); }
  template <int64_t N, class S, class W>
  MT_INLINE void divide_by_window_divisors(const S* from, W* sums) const {
    for (int64_t j = 0; j < N; ++j) sums[j] = static_cast<W>(from[j]);
    for (int i = 0; i < n_divisors_; ++i)
      for (int64_t j = 0; j < N; ++j) sums[j] = divide_sum(sums[j], W(divisors_[i]));
  }

 private:
  const PoolWindows& w_;
  std::vector<int64_t> pixels_;
  int64_t divisors_[3];
  int n_divisors_;
};

// Calls f(constant number of lanes, first channel) for whole vectors of channels, then smaller ones for the rest.
template <int64_t Lanes, class F>
MT_INLINE void for_channel_vectors(int64_t c, int64_t channels, F&& f) {
  for (; c + Lanes <= channels; c += Lanes) f(std::integral_constant<int64_t, Lanes>(), c);
  if constexpr (Lanes > 1) for_channel_vectors<(Lanes > 4 ? Lanes / 4 : 1)>(c, channels, f);
}
// Computes one result for all channels; a pixel of the image has `channels` elements.
template <class T>
struct PixelKernels {
  using W = Wide<T>;

  template <int Bytes, class Index = int32_t>
  struct Largest {
    static MT_INLINE void run(const T* image, const int64_t* pixels, int64_t count, int64_t channels, T* maxima, int64_t* max_indices) {
      constexpr int64_t most = Bytes / std::max<int64_t>(sizeof(W), sizeof(Index));
      for_channel_vectors<most>(0, channels, [&](auto lanes, int64_t c) __attribute__((always_inline)) {
        constexpr int64_t n = decltype(lanes)::value;
        W best[n];
        Index places[n];
        // If no element exceeds the lowest value, the window's first element is the maximum.
        const Index first = count ? Index(pixels[0]) : -1;
        for (int64_t j = 0; j < n; ++j) best[j] = lowest<W>(), places[j] = first;
        for (int64_t p = 0; p < count; ++p) {
          const T* from = image + pixels[p] * channels + c;
          const Index pixel = Index(pixels[p]);
          for (int64_t j = 0; j < n; ++j) {
            const W value = static_cast<W>(from[j]);
            const bool larger = should_replace(value, best[j]);
            best[j] = larger ? value : best[j];
            places[j] = larger ? pixel : places[j];
          }
        }
        for (int64_t j = 0; j < n; ++j) maxima[c + j] = static_cast<T>(best[j]);
        for (int64_t j = 0; j < n; ++j) max_indices[c + j] = places[j];
      });
    }
  };
  template <int Bytes>
  using LargestOfFew = Largest<Bytes>;
  template <int Bytes>
  struct Mean {
    static MT_INLINE void run(const T* image, const WindowPixels* window, int64_t channels, T* means) {
      for_channel_vectors<2 * Bytes / sizeof(W)>(0, channels, [&](auto lanes, int64_t c) __attribute__((always_inline)) {
        constexpr int64_t n = decltype(lanes)::value;
        W sums[n] = {};
        const int64_t *pixels = window->begin(), *const end = pixels + window->count();
        for (; pixels != end; ++pixels) {
          const T* from = image + *pixels * channels + c;
          for (int64_t j = 0; j < n; ++j) sums[j] += static_cast<W>(from[j]);
        }
        window->divide_by_window_divisors<n>(sums, sums);
        for (int64_t j = 0; j < n; ++j) means[c + j] = static_cast<T>(sums[j]);
      });
    }
  };
  // Adds the gradient of a result, divided, to `n_channels` channels of each pixel of its window; pixels of `input_grad` are `pitch`
  // elements apart.
  template <int Bytes>
  struct Share {
    static MT_INLINE void run(const T* output_grad, const WindowPixels* window, int64_t n_channels, int64_t pitch, W* input_grad) {
      for_channel_vectors<2 * Bytes / sizeof(W)>(0, n_channels, [&](auto lanes, int64_t c) __attribute__((always_inline)) {
        constexpr int64_t n = decltype(lanes)::value;
        W share[n];
        window->divide_by_window_divisors<n>(output_grad + c, share);
        const int64_t *pixels = window->begin(), *const end = pixels + window->count();
        for (; pixels != end; ++pixels) {
          W* to = input_grad + *pixels * pitch + c;
          for (int64_t j = 0; j < n; ++j) to[j] += share[j];
        }
      });
    }
  };
};
constexpr int kernel_bytes = 64;

// Calls f(image, number of the result in the image, pixels of its window) for the results of all images, in parallel.
template <class F>
void for_each_result(const PoolWindows& windows, F&& f) {
  const int64_t size = windows.out_size(), in = windows.in_size() / std::max<int64_t>(1, size) + 1;
  parallel_for(0, windows.images * size, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, windows.channels * in)),
               [&](int64_t begin, int64_t end) {
                 WindowPixels pixels(windows);
                 for (int64_t r = begin; r < end; ++r) {
                   pixels.select_window(r % size);
                   f(r / size, r, pixels);
                 }
               });
}

}  // namespace

PoolWindows regular_windows(const PoolShape& s, PoolDivisor divisor, int64_t channels) {
  PoolWindows windows{s.planes, channels, {s.in[0], s.in[1], s.in[2]}, {}, divisor.divisor};
  for (int i = 0; i < 3; ++i)
    for (int64_t o = 0; o < s.out[i]; ++o) {
      const int64_t at = o * s.stride[i] - s.padding[i];
      const Elements elements(s, i, at, at);
      windows.along[i].push_back({at + elements.low * s.dilation[i], std::max<int64_t>(0, elements.high - elements.low), s.dilation[i],
                                  count_divisor_pixels(s, divisor.count_include_pad, i, o)});
    }
  return windows;
}

template <class T>
void max_pool_channels_last(const PoolWindows& windows, const T* x, T* y, int64_t* place) {
  using Kernels = PixelKernels<T>;
  auto largest = detail::choose_width<Kernels::template LargestOfFew>(Kernels::template LargestOfFew<kernel_bytes>::run);
  if (windows.in_size() > INT32_MAX) largest = detail::run_baseline<typename Kernels::template Largest<8, int64_t>>;
  const int64_t channels = windows.channels, size = windows.in_size() * channels;
  for_each_result(windows, [&](int64_t image, int64_t r, const WindowPixels& pixels) {
    largest(x + image * size, pixels.begin(), pixels.count(), channels, y + r * channels, place + r * channels);
  });
}

template <class T>
void avg_pool_channels_last(const PoolWindows& windows, const T* x, T* y) {
  const auto mean = detail::choose_width<PixelKernels<T>::template Mean>(PixelKernels<T>::template Mean<kernel_bytes>::run);
  const int64_t channels = windows.channels, size = windows.in_size() * channels;
  for_each_result(windows, [&](int64_t image, int64_t r, const WindowPixels& pixels) {
    mean(x + image * size, &pixels, channels, y + r * channels);
  });
}

template <class T>
void avg_pool_backward_channels_last(const PoolWindows& windows, const T* y, T* x) {
  using W = Wide<T>;
  constexpr bool in_place = std::is_same_v<T, W>;
  const auto share = detail::choose_width<PixelKernels<T>::template Share>(PixelKernels<T>::template Share<kernel_bytes>::run);
  const int64_t channels = windows.channels, in = windows.in_size(), results = windows.out_size();
  for_channel_pieces(windows.images, channels, in + results, [&](int64_t image, int64_t first, int64_t count) {
    Buffer<W> own(in_place ? 0 : in * count);
    WindowPixels pixels(windows);
    T* const to = x + image * in * channels + first;
    W* sums = own.data();
    if constexpr (in_place) sums = to;
    const int64_t pitch = in_place ? channels : count;
    ClearedPixels<W> cleared(sums, pitch, count);
    for (int64_t r = 0; r < results; ++r) {
      pixels.select_window(r);
      if (pixels.count()) cleared.clear_until(pixels.begin()[pixels.count() - 1] + 1);
      share(y + (image * results + r) * channels + first, &pixels, count, pitch, sums);
    }
    cleared.clear_until(in);
    if constexpr (!in_place)
      for (int64_t i = 0; i < in; ++i) WideLine<T>::write(to + i * channels, sums + i * count, count);
  });
}

template <class T>
void max_pool(const PoolShape& s, const T* x, T* y, int64_t* place) {
  if (s.in_size() > INT32_MAX || are_worth_transposing(s.planes, s.in_size(), sizeof(T)))
    return max_pool_transposed(regular_windows(s, {}, 0), s.planes, x, y, place);
  max_pool_rows(s, x, y, place);
}

template <class T>
void max_pool_lines(const PoolShape& s, const T* x, T* y) {
  using W = Wide<T>;
  using Kernels = detail::LineKernels<W>;
  auto largest = detail::run_baseline<typename Kernels::template Largest<16>, const W*, const PoolShape*, W*>;
  if (cpu_capability() >= Capability::avx2) largest = detail::run_avx2<typename Kernels::template Largest<32>>;
  // If windows do not overlap and do not exceed their line, many lines can be processed as one.
  const bool joins = s.padding[2] == 0 && s.in[2] == s.out[2] * s.stride[2] && (s.kernel[2] - 1) * s.dilation[2] < s.stride[2];
  const int64_t most = joins ? std::max<int64_t>(1, 4096 / s.in[2]) : 1;
  parallel_for(0, s.planes, row_grain(s), [&](int64_t begin, int64_t end) {
    Buffer<W> best(WideLine<T>::converts ? most * s.out[2] : 0);
    WideLine<T> wide(most * s.in[2]);
    PoolShape lines = s;
    for (int64_t r = begin; r < end; r += most) {
      const int64_t count = std::min(most, end - r);
      lines.in[2] = count * s.in[2], lines.out[2] = count * s.out[2];
      const W* const from = wide.read(x + r * s.in[2], lines.in[2]);
      if constexpr (WideLine<T>::converts) {
        largest(from, &lines, best.data());
        wide.write(y + r * s.out[2], best.data(), lines.out[2]);
      } else {
        largest(from, &lines, y + r * s.out[2]);
      }
    }
  });
}

template <class T>
void avg_pool(const PoolShape& s, PoolDivisor divisor, const T* x, T* y) {
  if (are_worth_transposing(s.planes, s.in_size(), sizeof(T))) return avg_pool_transposed(regular_windows(s, divisor, 0), s.planes, x, y);
  using W = Wide<T>;
  const auto add = choose_clone<AddRow<W>>(AddRow<W>::run);
  const int64_t rows = s.out[0] * s.out[1], width = s.out[2];
  parallel_for(0, s.planes * rows, row_grain(s), [&](int64_t begin, int64_t end) {
    Buffer<W> sums(width), by(width);
    WideLine<T> wide(s.in[2]);
    Divisors divisors(s, divisor);
    for (int64_t r = begin; r < end; ++r) {
      const int64_t d = r % rows / s.out[1], h = r % s.out[1];
      const T* plane = x + r / rows * s.in_size();
      std::fill_n(sums.data(), width, W(0));
      for_each_window_line(s, d, h, [&](int64_t line) {
        const W* row = wide.read(plane + line, s.in[2]);
        for_each_window_element_of_line(s, [&](int64_t at, Inside range) {
          add(row + at, s.stride[2], range.high - range.low, sums.data() + range.low);
        });
      });
      divisors.fill_row_divisors(d, h, by.data());
      for (int64_t i = 0; i < width; ++i) sums.data()[i] = divide_sum(sums.data()[i], by.data()[i]);
      wide.write(y + r * width, sums.data(), width);
    }
  });
}

template <class T>
void avg_pool_backward(const PoolShape& s, PoolDivisor divisor, const T* y, T* x) {
  if (are_worth_transposing(s.planes, s.in_size(), sizeof(T)))
    return avg_pool_backward_transposed(regular_windows(s, divisor, 0), s.planes, y, x);
  using W = Wide<T>;
  const auto spread = choose_clone<SpreadRow<W>>(SpreadRow<W>::run);
  const auto repeat_each = choose_clone<RepeatRow<W>>(RepeatRow<W>::run);
  const auto add = choose_clone<AddRow<W>>(AddRow<W>::run);
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
          divisors.fill_row_divisors(d, h, by.data());
          for (int64_t i = 0; i < width; ++i) shares.data()[i] = divide_sum(static_cast<W>(row[i]), by.data()[i]);
          if (beside) {
            // If windows along the row are contiguous, the row of gradients is computed once and added to each line.
            repeat_each(shares.data(), width, s.kernel[2], line.data());
            const int64_t length = width * s.kernel[2];
            for_each_window_line(s, d, h, [&](int64_t from) {
              if (once)
                std::copy_n(line.data(), length, plane + from);
              else
                add(line.data(), 1, length, plane + from);
            });
            continue;
          }
          for_each_window_element(s, d, h, [&](int64_t from, Inside range) {
            spread(shares.data() + range.low, s.stride[2], range.high - range.low, plane + from);
          });
        }
      if constexpr (!in_place)
        for (int64_t i = 0; i < size; ++i) x[p * size + i] = static_cast<T>(plane[i]);
    }
  });
}

#define MT_INSTANTIATE(T)                                              \
  template void max_pool<T>(const PoolShape&, const T*, T*, int64_t*); \
  template void max_pool_channels_last<T>(const PoolWindows&, const T*, T*, int64_t*);
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
#define MT_INSTANTIATE(T)                                                          \
  template void avg_pool<T>(const PoolShape&, PoolDivisor, const T*, T*);          \
  template void avg_pool_channels_last<T>(const PoolWindows&, const T*, T*);       \
  template void avg_pool_backward<T>(const PoolShape&, PoolDivisor, const T*, T*); \
  template void avg_pool_backward_channels_last<T>(const PoolWindows&, const T*, T*);
MT_INSTANTIATE(float)
MT_INSTANTIATE(double)
MT_INSTANTIATE(Half)
MT_INSTANTIATE(BFloat16)
MT_INSTANTIATE(int64_t)
#undef MT_INSTANTIATE

}  // namespace mt::cpu
