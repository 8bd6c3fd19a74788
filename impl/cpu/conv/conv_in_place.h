// The layout of a zero-padded copy of the source, from which a convolution's product reads pixels in place.
#pragma once

#include <algorithm>
#include <vector>

#include "core/half.h"
#include "cpu/conv/conv_product.h"
#include "cpu/gemm/gemm_choice.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu::detail {

// Neighbouring output positions of one line, in consecutive lanes of a packed panel.
struct Run {
  int32_t lane, length;
  int64_t image, position[3];
};
constexpr int most_lanes = 64;
constexpr int64_t floor_divide(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

// Two bfloat16 channels of a pixel, whose products one instruction adds.
struct ChannelPair {
  BFloat16 first, second;
};

// The source is copied with zero padding and split by the remainders of planes and rows modulo the step, so that every tap reads one run
// for all positions of an image and nothing is gathered. The sums at positions between the lines are dropped.
struct InPlaceLayout {
  const ProductShape& p;
  const int64_t nr;            // positions of a panel
  const int64_t channels;      // channels of a group: their size in the copy
  int64_t low[3], extent[3];   // of a part, in positions
  int64_t step;  // between lines, which share the zeros between them
  struct Part {
    int64_t plane, row, line, width;
  };
  std::vector<Part> parts;
  std::vector<int64_t> offset;  // per tap
  int64_t part_size, channel, image;
  int64_t slices = 1, length;  // number of runs of positions in an image, and their length
  int64_t panels;  // of a run

  // The distance of lines in the copy is rounded up to a multiple of `multiple`; a cache line has `line` elements.
  InPlaceLayout(const ProductShape& product, int64_t columns, int64_t channels_of_element, int64_t line, int64_t multiple);
  // The number of panels of all images; below, the offset in the copy of a panel's first pixel.
  int64_t count_all_panels() const { return p.images * slices * panels; }
  int64_t first_pixel_of(int64_t panel) const {
    const int64_t run = panel / panels;
    return run / slices * image + run % slices * extent[1] * step + panel % panels * nr;
  }
  int64_t at(const Tap& tap, int i) const { return i < 2 ? floor_divide(tap.offset[i], p.step[i]) : tap.offset[2]; }

  // Whether the padded copy pays off: not for a single tap, which is gathered as fast as it would be copied, nor for small images, which
  // waste too many lanes between their lines.
  bool is_worth_copying() const { return p.taps.size() > 1 && p.grid() * 20 >= slices * panels * nr * 17 && has_small_copy(); }
  // Limits the copy's size: paddings and dilations may be much larger than the image.
  bool has_small_copy() const { return channel <= 4 * (p.grid() + p.planes * p.lines * p.line_stride) + 1024; }
  // Whether nearly all lanes are used.
  bool fills_lanes() const { return p.grid() * 100 >= slices * panels * nr * 99; }
  // Lists the runs of output positions, one per line, in a panel; returns their number.
  int list_runs(int64_t panel, Run* out) const;
};

// E: an element of the copy, a T or a pair of channels.
template <class T, class E = T>
struct InPlace : InPlaceLayout {
  static constexpr int64_t channels_of_element = int64_t(sizeof(E) / sizeof(T));
  explicit InPlace(const ProductShape& product, int64_t multiple = 1)
      : InPlaceLayout(product, kernels<T>().tile_cols, channels_of_element, 64 / int64_t(sizeof(E)), multiple) {}

  void copy(const T* from_image, void* target) const {
    const int64_t all = p.groups * channels;
    parallel_for(0, p.images * all, grain_for(channel * 8), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* source = from_image + i / all * p.source_image_stride + i % all * channels_of_element * p.source_channel_stride;
        E* to = static_cast<E*>(target) + i / all * image + i % all * channel;
        for (const Part& part : parts) {
          for (int64_t d = 0; d < extent[0]; ++d)
            for (int64_t h = 0; h < extent[1]; ++h, to += step) {
              const int64_t plane = (d + low[0]) * p.step[0] + part.plane, row = (h + low[1]) * p.step[1] + part.row;
              if (plane < 0 || plane >= p.planes || row < 0 || row >= p.lines) {
                std::fill_n(to, extent[2], E{});
                continue;
              }
              const T* from = source + (plane * p.lines + row) * p.line_stride + part.line + low[2];
              const int64_t first = std::clamp<int64_t>(-low[2], 0, extent[2]);
              const int64_t stop = std::clamp<int64_t>(part.width - low[2], first, extent[2]);
              std::fill_n(to, first, E{});
              if constexpr (channels_of_element == 2) {
                const T* const second = from + p.source_channel_stride;
                for (int64_t w = first; w < stop; ++w) to[w] = {from[w], second[w]};
              } else {
                std::copy(from + first, from + stop, to + first);
              }
              std::fill_n(to + stop, extent[2] - stop, E{});
            }
          to += std::max<int64_t>(0, extent[2] - step);
        }
      }
    });
  }
};

}  // namespace mt::cpu::detail
