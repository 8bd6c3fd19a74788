// Depthwise convolutions: planes are padded and split by the remainder of their coordinates modulo the stride, so that each kernel
// element reads one contiguous run for all positions of a plane.
#include "cpu/conv/conv_depthwise.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/half.h"
#include "cpu/buffer.h"
#include "cpu/clones.h"
#include "cpu/conv/conv_rows.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu::detail {
namespace {

// The layout of a padded plane in scratch memory: one part for each triple of remainders, all of the same size.
struct Layout {
  int64_t part[3];           // sizes of a part; output positions use the same row stride
  int64_t part_size, parts;
  int64_t length;            // all positions as one run, including the gaps between lines
  std::vector<int64_t> tap_part, tap_offset;

  explicit Layout(const ConvShape& s) {
    parts = 1, part_size = 1, length = 1;
    int64_t strides[3];
    for (int i = 0; i < 3; ++i) {
      part[i] = s.out[i] + (s.kernel[i] - 1) * s.dilation[i] / s.stride[i];
      parts *= s.stride[i];
      part_size *= part[i];
    }
    strides[0] = part[1] * part[2], strides[1] = part[2], strides[2] = 1;
    for (int i = 0; i < 3; ++i) length += (s.out[i] - 1) * strides[i];
    for (int64_t k = 0; k < s.taps(); ++k) {
      const int64_t element[3] = {k / (s.kernel[1] * s.kernel[2]), k / s.kernel[2] % s.kernel[1], k % s.kernel[2]};
      int64_t index = 0, offset = 0;
      for (int i = 0; i < 3; ++i) {
        const int64_t at = element[i] * s.dilation[i];
        index = index * s.stride[i] + at % s.stride[i];
        offset += at / s.stride[i] * strides[i];
      }
      tap_part.push_back(index);
      tap_offset.push_back(offset);
    }
  }
};

// Copies a short run by its first and last vector: if these overlap, that still costs less than a scalar loop over the remainder.
template <int Bytes>
MT_INLINE void copy_by_first_and_last_vector(const char* from, int64_t bytes, char* to) {
  char first[Bytes], last[Bytes];
  std::memcpy(first, from, Bytes);
  std::memcpy(last, from + bytes - Bytes, Bytes);
  std::memcpy(to, first, Bytes);
  std::memcpy(to + bytes - Bytes, last, Bytes);
}
template <class S, class D>
MT_INLINE void copy_pixel_run(const S* from, int64_t count, D* to) {
  if constexpr (std::is_same_v<S, D>) {
    const int64_t bytes = count * int64_t(sizeof(S));
    const char* source = reinterpret_cast<const char*>(from);
    char* target = reinterpret_cast<char*>(to);
    if (bytes >= 64) {
      for (int64_t at = 0; at + 64 <= bytes; at += 64) std::memcpy(target + at, source + at, 64);
      std::memcpy(target + bytes - 64, source + bytes - 64, 64);
    } else if (bytes >= 32) {
      copy_by_first_and_last_vector<32>(source, bytes, target);
    } else if (bytes >= 16) {
      copy_by_first_and_last_vector<16>(source, bytes, target);
    } else if (bytes >= 8) {
      copy_by_first_and_last_vector<8>(source, bytes, target);
    } else {
      for (int64_t i = 0; i < count; ++i) to[i] = from[i];
    }
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<D>(from[i]);
  }
}

// to[i] = from[2 * i]: two vectors at a time while both end before the last element, then one by one.
template <class S, class D>
MT_INLINE void copy_every_second(const S* from, int64_t count, D* to) {
  int64_t i = 0;
  if constexpr (std::is_same_v<S, D>) {
    typedef S Eight __attribute__((vector_size(8 * sizeof(S))));
    for (; i + 8 < count; i += 8) {
      Eight low, high;
      std::memcpy(&low, from + 2 * i, sizeof(low));
      std::memcpy(&high, from + 2 * i + 8, sizeof(high));
      low = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
      std::memcpy(to + i, &low, sizeof(low));
    }
  }
  for (; i < count; ++i) to[i] = static_cast<D>(from[2 * i]);
}
// Calls f(line of the plane, first pixel, offset in scratch, count, step between pixels) for all runs of pixels that are used.
template <class F>
MT_INLINE void for_each_pixel_run(const ConvShape& s, const Layout& l, F&& f) {
  for (int64_t rest = 0; rest < s.stride[2]; ++rest) {
    // The pixels w of this part: those with (w + padding) % stride == rest.
    const int64_t low = (s.padding[2] - rest + s.stride[2] - 1) / s.stride[2], first = low * s.stride[2] + rest - s.padding[2];
    if (first >= s.in[2]) continue;
    const int64_t count = std::min((s.in[2] - first - 1) / s.stride[2] + 1, l.part[2] - low);
    if (count <= 0) continue;
    for (int64_t d = 0; d < s.in[0]; ++d) {
      const int64_t plane = (d + s.padding[0]) / s.stride[0], plane_rest = (d + s.padding[0]) % s.stride[0];
      if (plane >= l.part[0]) break;
      int64_t line = s.padding[1] / s.stride[1], line_rest = s.padding[1] % s.stride[1];
      for (int64_t h = 0; h < s.in[1] && line < l.part[1]; ++h) {
        const int64_t index = (plane_rest * s.stride[1] + line_rest) * s.stride[2] + rest;
        f((d * s.in[1] + h) * s.in[2] + first, index * l.part_size + (plane * l.part[1] + line) * l.part[2] + low, count, s.stride[2]);
        if (++line_rest == s.stride[1]) ++line, line_rest = 0;
      }
    }
  }
}

// Copies a plane of the input into its padded parts, and back.
template <class T, class P>
struct CopyPlaneToPaddedParts {
  static MT_INLINE void run(const ConvShape* s, const Layout* l, const T* plane, P* parts) {
    for_each_pixel_run(*s, *l, [&](int64_t from, int64_t to, int64_t count, int64_t step) __attribute__((always_inline)) {
      if (step == 1)
        copy_pixel_run(plane + from, count, parts + to);
      else if (step == 2)
        copy_every_second(plane + from, count, parts + to);
      else
        for (int64_t i = 0; i < count; ++i) parts[to + i] = static_cast<P>(plane[from + i * step]);
    });
  }
};
template <class T, class P>
struct CopyPaddedPartsToPlane {
  static MT_INLINE void run(const ConvShape* s, const Layout* l, const P* parts, T* plane) {
    for_each_pixel_run(*s, *l, [&](int64_t to, int64_t from, int64_t count, int64_t step) __attribute__((always_inline)) {
      if (step == 1)
        copy_pixel_run(parts + from, count, plane + to);
      else if (step == 2)
        for (int64_t i = 0; i < count; ++i) plane[to + 2 * i] = static_cast<T>(parts[from + i]);
      else
        for (int64_t i = 0; i < count; ++i) plane[to + i * step] = static_cast<T>(parts[from + i]);
    });
  }
};
// Copies the lines of an output plane between their own stride and that of a part.
template <class S, class D, bool FromPart>
struct Positions {
  static MT_INLINE void run(const ConvShape* s, const Layout* l, const S* source, D* target) {
    for (int64_t d = 0; d < s->out[0]; ++d)
      for (int64_t h = 0; h < s->out[1]; ++h) {
        const int64_t plane = (d * s->out[1] + h) * s->out[2], part = (d * l->part[1] + h) * l->part[2];
        copy_pixel_run(source + (FromPart ? part : plane), s->out[2], target + (FromPart ? plane : part));
      }
  }
};

template <class P, int Bytes>
struct Lanes {
  typedef P type __attribute__((vector_size(Bytes)));
  static constexpr int64_t count = Bytes / int64_t(sizeof(P));
};
constexpr int max_vector_bytes = 64;  // of a vector

// out[i] = start + sum over taps of weight[t] * tap_lines[t][i].
template <class P, int Bytes>
struct CorrelateIn {
  template <int N>
  static MT_INLINE void block(const P* const* source, const P* weight, int64_t taps, P start, int64_t at, P* out) {
    using V = typename Lanes<P, Bytes>::type;
    V sums[N];
#pragma GCC unroll 8
    for (int j = 0; j < N; ++j) sums[j] = V{} + start;
    for (int64_t t = 0; t < taps; ++t) {
      const P* from = source[t] + at;
      const V w = weight[t] - V{};
#pragma GCC unroll 8
      for (int j = 0; j < N; ++j) {
        V value;
        std::memcpy(&value, from + j * Lanes<P, Bytes>::count, sizeof(V));
        sums[j] += w * value;
      }
    }
    std::memcpy(out + at, sums, sizeof(sums));
  }
  static MT_INLINE void run(const P* const* tap_lines, const P* weight, int64_t taps, P start, int64_t length, P* out) {
    constexpr int64_t lanes = Lanes<P, Bytes>::count;
    constexpr int at_once = 256 / Bytes;
    int64_t i = 0;
    for (; i + at_once * lanes <= length; i += at_once * lanes) block<at_once>(tap_lines, weight, taps, start, i, out);
    for (; i + lanes <= length; i += lanes) block<1>(tap_lines, weight, taps, start, i, out);
    if (i < length && length >= lanes)
      return block<1>(tap_lines, weight, taps, start, length - lanes, out);  // some lanes are computed twice
    for (; i < length; ++i) {
      P sum = start;
      for (int64_t t = 0; t < taps; ++t) sum += weight[t] * tap_lines[t][i];
      out[i] = sum;
    }
  }
};

// Computes planes of contiguous 3 x 3 kernels: each line that is read contributes to three lines of the result, so no scratch is needed.
template <int Bytes>
struct NineTaps {
  using P = float;
  using V = typename Lanes<P, Bytes>::type;
  static constexpr int64_t lanes = Lanes<P, Bytes>::count;
  static constexpr int64_t lines = 4;  // at a time
  static MT_INLINE void block(const P* from, int64_t pitch, const V (&weight)[9], P start, int64_t width, P* out) {
    V sums[lines];
#pragma GCC unroll 4
    for (int j = 0; j < lines; ++j) sums[j] = V{} + start;
#pragma GCC unroll 6
    for (int r = 0; r < lines + 2; ++r) {
#pragma GCC unroll 3
      for (int k = 0; k < 3; ++k) {
        V value;
        std::memcpy(&value, from + r * pitch + k, sizeof(V));
#pragma GCC unroll 4
        for (int j = 0; j < lines; ++j) {
          if (j <= r && r <= j + 2) sums[j] += weight[(r - j) * 3 + k] * value;
        }
      }
    }
#pragma GCC unroll 4
    for (int j = 0; j < lines; ++j) std::memcpy(out + j * width, &sums[j], sizeof(V));
  }
  // The last lines and lanes overlap those before, and are computed twice.
  static MT_INLINE void run(const P* source, int64_t pitch, const P* nine_weights, P start, int64_t height, int64_t width, P* out) {
    V weight[9];
    for (int t = 0; t < 9; ++t) weight[t] = V{} + nine_weights[t];
    for (int64_t below = 0; below < height; below += lines) {
      const int64_t h = std::min(below, height - lines);
      for (int64_t right = 0; right < width; right += lanes) {
        const int64_t i = std::min(right, width - lanes);
        block(source + h * pitch + i, pitch, weight, start, width, out + h * width + i);
      }
    }
  }
};

// Computes planes for kernels of more than 3 lines: two cells (blocks of some lines by one vector) at a time, whose accumulators are
// independent.
template <int Bytes>
struct ManyTaps {
  using P = float;
  using V = typename Lanes<P, Bytes>::type;
  static constexpr int64_t lanes = Lanes<P, Bytes>::count;
  static constexpr int lines = 4;  // of a cell, and the least of a kernel
  // Adds the contribution of one source line to lines [First, Last) of both cells; `weight` is the kernel line for the first of these.
  template <int First, int Last>
  static MT_INLINE void add_source_line(const P* a, const P* b, const P* weight, int64_t length, V (&sums)[2][lines]) {
    for (int64_t k = 0; k < length; ++k) {
      V left, right;
      std::memcpy(&left, a + k, sizeof(V));
      std::memcpy(&right, b + k, sizeof(V));
#pragma GCC unroll 4
      for (int j = First; j < Last; ++j) {
        const V w = weight[k - (j - First) * length] - V{};  // minus, and nothing to compute: -0 stays -0
        sums[0][j] += w * left;
        sums[1][j] += w * right;
      }
    }
  }
  static MT_INLINE void run(const P* from, int64_t pitch, const P* weight, int64_t rows, int64_t length, P start, int64_t height,
                            int64_t width, P* out) {
    const int64_t across = (width + lanes - 1) / lanes, cells = (height + lines - 1) / lines * across;
    for (int64_t c = 0; c < cells; c += 2) {
      const P* source[2];
      P* target[2];
      // The last lines and lanes overlap those before, and an odd last cell is paired with itself.
      for (int q = 0; q < 2; ++q) {
        const int64_t cell = std::min(c + q, cells - 1);
        const int64_t h = std::min(cell / across * lines, height - lines), i = std::min(cell % across * lanes, width - lanes);
        source[q] = from + h * pitch + i, target[q] = out + h * width + i;
      }
      V sums[2][lines];
#pragma GCC unroll 4
      for (int j = 0; j < lines; ++j) sums[0][j] = sums[1][j] = V{} + start;
      const P *a = source[0], *b = source[1], *w = weight;
      add_source_line<0, 1>(a, b, w, length, sums);
      add_source_line<0, 2>(a += pitch, b += pitch, w += length, length, sums);
      add_source_line<0, 3>(a += pitch, b += pitch, w += length, length, sums);
      for (int64_t r = 3; r < rows; ++r) add_source_line<0, 4>(a += pitch, b += pitch, w += length, length, sums);
      add_source_line<1, 4>(a += pitch, b += pitch, w, length, sums);
      add_source_line<2, 4>(a += pitch, b += pitch, w, length, sums);
      add_source_line<3, 4>(a += pitch, b += pitch, w, length, sums);
#pragma GCC unroll 4
      for (int j = 0; j < lines; ++j) {
        std::memcpy(target[0] + j * width, &sums[0][j], sizeof(V));
        std::memcpy(target[1] + j * width, &sums[1][j], sizeof(V));
      }
    }
  }
};

// dots[t] += sum over i of line[i] * tap_lines[t][i]; up to the end of the last vector both are readable, and `line` is 0.
template <class P, int Bytes>
struct DotsIn {
  template <int N>
  static MT_INLINE void block(const P* y, const P* const* source, int64_t length, P* sums) {
    using V = typename Lanes<P, Bytes>::type;
    constexpr int64_t lanes = Lanes<P, Bytes>::count;
    V totals[N];
#pragma GCC unroll 9
    for (int t = 0; t < N; ++t) totals[t] = V{};
    for (int64_t i = 0; i < length; i += lanes) {
      V left;
      std::memcpy(&left, y + i, sizeof(V));
#pragma GCC unroll 9
      for (int t = 0; t < N; ++t) {
        V right;
        std::memcpy(&right, source[t] + i, sizeof(V));
        totals[t] += left * right;
      }
    }
    for (int t = 0; t < N; ++t) {
      P parts[lanes];
      std::memcpy(parts, &totals[t], sizeof(V));
      for (int64_t half = lanes / 2; half > 0; half /= 2)
        for (int64_t j = 0; j < half; ++j) parts[j] += parts[j + half];
      sums[t] += parts[0];
    }
  }
  static MT_INLINE void run(const P* line, const P* const* tap_lines, int64_t taps, int64_t length, P* dots) {
    int64_t t = 0;
    for (; t + 9 <= taps; t += 9) block<9>(line, tap_lines + t, length, dots + t);
    for (; t + 3 <= taps; t += 3) block<3>(line, tap_lines + t, length, dots + t);
    for (; t < taps; ++t) block<1>(line, tap_lines + t, length, dots + t);
  }
};

template <class P>
struct Kernels {
  template <int Bytes>
  using Correlate = CorrelateIn<P, Bytes>;
  template <int Bytes>
  using Dots = DotsIn<P, Bytes>;
};

int64_t grain_of(const ConvShape& s) { return std::max<int64_t>(1, 65536 / std::max<int64_t>(1, s.out_size() * s.taps())); }

}  // namespace

bool is_depthwise(const ConvShape& s) {
  // Large strides, dilations and paddings would make the padded parts much larger than the plane; a matrix product then computes the
  // convolution.
  for (int i = 0; i < 3; ++i)
    if (s.stride[i] > 4 || s.dilation[i] > 64 || s.padding[i] > 1024) return false;
  return s.in_channels == 1 && s.out_channels <= 4 && s.groups >= 4 && s.taps() <= 256;
}

// From this length on, lines that are shorter than the widest vector mostly fill two vectors of half that size.
constexpr int64_t min_line_length = NineTaps<max_vector_bytes>::lanes * 3 / 4;
template <template <int> class F, class... A>
auto choose_clone_for_lines(int64_t width, void (*run)(A...)) {
  if (width >= NineTaps<max_vector_bytes>::lanes || cpu_capability() < Capability::avx2) return choose_width<F, 16>(run);
  return run_avx2<F<max_vector_bytes / 2>, A...>;
}

bool can_share_lines(const ConvShape& s) {
  const bool has_many = s.kernel[1] >= ManyTaps<max_vector_bytes>::lines, has_kernel = (s.kernel[1] == 3 && s.kernel[2] == 3) || has_many;
  return has_kernel && s.kernel[0] == 1 && s.stride[1] == 1 && s.stride[2] == 1 && s.dilation[1] == 1 && s.dilation[2] == 1 &&
         s.out[1] >= NineTaps<max_vector_bytes>::lines && s.out[2] >= (has_many ? min_line_length : NineTaps<max_vector_bytes>::lanes);
}

template <class T>
void depthwise_forward(const ConvShape& s, const T* x, const T* w, const T* bias, T* y) {
  using P = T;
  const Layout l(s);
  const auto correlate = choose_width<Kernels<P>::template Correlate>(CorrelateIn<P, max_vector_bytes>::run);
  const auto spread = choose_clone<CopyPlaneToPaddedParts<T, P>>(CopyPlaneToPaddedParts<T, P>::run);
  const auto crop = choose_clone<Positions<P, T, true>>(Positions<P, T, true>::run);
  const auto nine = choose_width<NineTaps, 16>(NineTaps<max_vector_bytes>::run);
  const auto many = choose_clone_for_lines<ManyTaps>(s.out[2], ManyTaps<max_vector_bytes>::run);
  const bool by_lines = std::is_same_v<T, float> && can_share_lines(s);  // directly into the result
  const int64_t taps = s.taps();
  parallel_for(0, s.batch * s.groups, grain_of(s), [&](int64_t begin, int64_t end) {
    Buffer<P> scratch(l.parts * l.part_size), out(by_lines ? 0 : l.length);
    std::fill_n(scratch.data(), l.parts * l.part_size, P(0));
    std::vector<const P*> source(by_lines ? 0 : size_t(taps), nullptr);
    for (int64_t t = 0; t < int64_t(source.size()); ++t)
      source[size_t(t)] = scratch.data() + l.tap_part[size_t(t)] * l.part_size + l.tap_offset[size_t(t)];
    for (int64_t i = begin; i < end; ++i) {
      spread(&s, &l, x + i * s.in_size(), scratch.data());
      for (int64_t m = 0; m < s.out_channels; ++m) {
        const int64_t channel = i % s.groups * s.out_channels + m;
        T* plane = y + (i * s.out_channels + m) * s.out_size();
        const P* const weight = w + channel * taps;
        const P start = bias ? bias[channel] : P(0);
        if constexpr (std::is_same_v<T, float>) {
          if (by_lines) {
            for (int64_t d = 0; d < s.out[0]; ++d) {
              const P* const from = scratch.data() + d * l.part[1] * l.part[2];
              T* const to = plane + d * s.out[1] * s.out[2];
              if (s.kernel[1] == 3)
                nine(from, l.part[2], weight, start, s.out[1], s.out[2], to);
              else
                many(from, l.part[2], weight, s.kernel[1], s.kernel[2], start, s.out[1], s.out[2], to);
            }
            continue;
          }
        }
        correlate(source.data(), weight, taps, start, l.length, out.data());
        crop(&s, &l, out.data(), plane);
      }
    }
  });
}

template <class T>
void depthwise_backward_input(const ConvShape& s, const T* y, const T* w, const T* bias, T* x) {
  using P = T;
  if constexpr (std::is_same_v<T, float>) {
    const ConvShape swapped = swap_direction(s);
    if (s.out_channels == 1 && s.stride[0] == 1 && swapped.padding[0] >= 0 && swapped.padding[1] >= 0 && swapped.padding[2] >= 0 &&
        s.stride[1] == 1 && s.stride[2] == 1 && can_share_lines(swapped)) {
      Buffer<T> weight(s.groups * s.taps());
      for (int64_t i = 0; i < s.groups; ++i) std::reverse_copy(w + i * s.taps(), w + (i + 1) * s.taps(), weight.data() + i * s.taps());
      return depthwise_forward(swapped, y, static_cast<const T*>(weight.data()), bias, x);
    }
  }
  const Layout l(s);
  const auto correlate = choose_width<Kernels<P>::template Correlate>(CorrelateIn<P, max_vector_bytes>::run);
  const auto collect = choose_clone<CopyPaddedPartsToPlane<T, P>>(CopyPaddedPartsToPlane<T, P>::run);
  const auto widen = choose_clone<Positions<T, P, false>>(Positions<T, P, false>::run);
  bool skips = false;  // no position may read the last pixels
  for (int i = 0; i < 3; ++i) skips |= (s.in[i] + s.padding[i] - 1) / s.stride[i] >= l.part[i];
  const int64_t taps = s.taps(), margin = l.part_size;  // zeros before the first position, as far as any tap reaches back
  parallel_for(0, s.batch * s.groups, grain_of(s), [&](int64_t begin, int64_t end) {
    const int64_t held = 2 * margin;
    Buffer<P> scratch(s.out_channels * held), out(l.parts * l.part_size), weight(taps * s.out_channels);
    std::fill_n(scratch.data(), s.out_channels * held, P(0));
    std::vector<const P*> source(size_t(taps * s.out_channels), nullptr);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i % s.groups;
      for (int64_t m = 0; m < s.out_channels; ++m) {
        const T* plane = y + (i * s.out_channels + m) * s.out_size();
        widen(&s, &l, plane, scratch.data() + m * held + margin);
      }
      for (int64_t part = 0; part < l.parts; ++part) {
        int64_t n = 0;
        for (int64_t m = 0; m < s.out_channels; ++m)
          for (int64_t t = 0; t < taps; ++t) {
            if (l.tap_part[size_t(t)] != part) continue;
            source[size_t(n)] = scratch.data() + m * held + margin - l.tap_offset[size_t(t)];
            weight.data()[n++] = static_cast<P>(w[(group * s.out_channels + m) * taps + t]);
          }
        correlate(source.data(), weight.data(), n, bias ? static_cast<P>(bias[group]) : P(0), l.part_size, out.data() + part * l.part_size);
      }
      T* plane = x + i * s.in_size();
      if (skips) std::fill_n(plane, s.in_size(), bias ? bias[group] : T(0));
      collect(&s, &l, out.data(), plane);
    }
  });
}

template <class T>
void depthwise_backward_weight(const ConvShape& s, const T* x, const T* y, T* w) {
  using P = T;
  const Layout l(s);
  const auto dots = choose_width<Kernels<P>::template Dots>(DotsIn<P, max_vector_bytes>::run);
  const auto spread = choose_clone<CopyPlaneToPaddedParts<T, P>>(CopyPlaneToPaddedParts<T, P>::run);
  const auto widen = choose_clone<Positions<T, P, false>>(Positions<T, P, false>::run);
  const int64_t taps = s.taps();
  parallel_for(0, s.groups, std::max<int64_t>(1, grain_of(s) / s.batch), [&](int64_t begin, int64_t end) {
    const int64_t spare = Lanes<P, max_vector_bytes>::count;
    Buffer<P> scratch(l.parts * l.part_size + spare), lines(l.part_size + spare), sums(s.out_channels * taps);
    std::fill_n(scratch.data(), l.parts * l.part_size + spare, P(0));
    std::fill_n(lines.data(), l.part_size + spare, P(0));
    std::vector<const P*> source(size_t(taps), nullptr);
    for (int64_t t = 0; t < taps; ++t) source[size_t(t)] = scratch.data() + l.tap_part[size_t(t)] * l.part_size + l.tap_offset[size_t(t)];
    for (int64_t group = begin; group < end; ++group) {
      std::fill_n(sums.data(), s.out_channels * taps, P(0));
      for (int64_t image = 0; image < s.batch; ++image) {
        const int64_t i = image * s.groups + group;
        spread(&s, &l, x + i * s.in_size(), scratch.data());
        for (int64_t m = 0; m < s.out_channels; ++m) {
          const T* plane = y + (i * s.out_channels + m) * s.out_size();
          widen(&s, &l, plane, lines.data());
          dots(lines.data(), source.data(), taps, l.length, sums.data() + m * taps);
        }
      }
      for (int64_t j = 0; j < s.out_channels * taps; ++j) w[group * s.out_channels * taps + j] = static_cast<T>(sums.data()[j]);
    }
  });
}

#define MT_INSTANTIATE(T)                                                                        \
  template void depthwise_forward<T>(const ConvShape&, const T*, const T*, const T*, T*);        \
  template void depthwise_backward_input<T>(const ConvShape&, const T*, const T*, const T*, T*); \
  template void depthwise_backward_weight<T>(const ConvShape&, const T*, const T*, T*);
MT_INSTANTIATE(float)
MT_INSTANTIATE(double)
#undef MT_INSTANTIATE

}  // namespace mt::cpu::detail
