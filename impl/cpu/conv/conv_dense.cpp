// Dense convolutions of channels-last images, forward and adjoint, in tiles of target pixels.
#include "cpu/conv/conv_dense.h"

#include <algorithm>
#include <vector>

#include "cpu/buffer.h"
#include "cpu/copy/copy.h"
#include "cpu/gemm/gemm_choice.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu::detail {
namespace {

// The target positions of one axis to which a kernel element contributes: `count` from `first` on, `step` apart, and the source index of
// each.
struct Span {
  int64_t first, step, count, source, source_step;

  // The source index for position p, or -1.
  int64_t source_index_of(int64_t p) const {
    const int64_t i = (p - first) / step;
    return p >= first && i < count && first + i * step == p ? source + i * source_step : -1;
  }
};

Span forward_span(const ConvShape& s, int axis, int64_t k) {
  const int64_t stride = s.stride[axis], shift = k * s.dilation[axis] - s.padding[axis];
  const int64_t low = shift < 0 ? divide_up(-shift, stride) : 0;
  const int64_t high = shift < s.in[axis] ? std::min(s.out[axis], (s.in[axis] - 1 - shift) / stride + 1) : 0;
  return {low, 1, std::max<int64_t>(0, high - low), shift + low * stride, stride};
}
Span backward_span(const ConvShape& s, int axis, int64_t k) {
  // Output position o contributes to the input pixel p = o * stride + shift.
  const int64_t stride = s.stride[axis], shift = k * s.dilation[axis] - s.padding[axis];
  const int64_t low = shift < 0 ? divide_up(-shift, stride) : 0;
  const int64_t high = shift < s.in[axis] ? std::min(s.out[axis], (s.in[axis] - 1 - shift) / stride + 1) : 0;
  return {shift + low * stride, stride, std::max<int64_t>(0, high - low), low, 1};
}

constexpr int max_tile_cols = 96;  // of a tile

template <class T>
struct Dense {
  int64_t batch, groups, source_channels, target_channels;
  int64_t pixel;  // elements between neighbouring source pixels
  const int64_t *kernel, *source_size, *target_size;
  std::vector<Span> spans[3];  // per kernel element of an axis
  int64_t step;                // between neighbouring target positions of one span
  const T *source, *bias;
  const T* weights;  // [group][panel of target channels][kernel element][source channel][lane]
  T* target;

  // Computes row (d, h) of one image for one panel of channels.
  void compute_row(int64_t image, int64_t d, int64_t h, int64_t group, int64_t channel, int lanes, const T* panel) const {
    const GemmKernels<T>& kernels_ = kernels<T>();
    // Computes a few tiles at a time, so that their accumulators stay in the L1 cache from one kernel element to the next.
    const int64_t width = target_size[2], tile = round_up(16, kernels_.tile_rows) * step;
    const int64_t out_pixel = groups * target_channels;
    T* const out = target + ((image * target_size[0] + d) * target_size[1] + h) * width * out_pixel + group * target_channels + channel;
    T start[max_tile_cols] = {};
    if (bias) std::copy_n(bias + group * target_channels + channel, lanes, start);
    for (int64_t from = 0; from < width; from += tile) {
      const int64_t to = std::min(width, from + tile);
      move_rows(reinterpret_cast<char*>(out + from * out_pixel), out_pixel * int64_t(sizeof(T)), reinterpret_cast<const char*>(start), 0,
                to - from, lanes * int64_t(sizeof(T)));
      const T* weight = panel;
      for (int64_t i = 0; i < kernel[0]; ++i)
        for (int64_t j = 0; j < kernel[1]; ++j) {
          const int64_t plane = spans[0][size_t(i)].source_index_of(d), line = spans[1][size_t(j)].source_index_of(h);
          for (int64_t k = 0; k < kernel[2]; ++k, weight += source_channels * kernels_.tile_cols) {
            if (plane < 0 || line < 0) continue;
            const Span& span = spans[2][size_t(k)];
            const int64_t begin = from > span.first ? divide_up(from - span.first, span.step) : 0;
            const int64_t end = to > span.first ? std::min(span.count, divide_up(to - span.first, span.step)) : 0;
            if (begin >= end) continue;
            const int64_t first = (plane * source_size[1] + line) * source_size[2] + span.source + begin * span.source_step;
            const T* pixels = source + (image * source_size[0] * source_size[1] * source_size[2] + first) * pixel + group * source_channels;
            kernels_.multiply_rows(source_channels, pixels, span.source_step * pixel, weight, kernels_.tile_cols,
                                   out + (span.first + begin * span.step) * out_pixel, span.step * out_pixel, true, int(end - begin),
                                   lanes);
          }
        }
    }
  }

  [[gnu::noinline]] void run() const {
    const int64_t nr = kernels<T>().tile_cols, panels = divide_up(target_channels, nr);
    const int64_t panel_size = kernel[0] * kernel[1] * kernel[2] * source_channels * nr;
    const int64_t rows = target_size[0] * target_size[1];
    const int64_t work = target_size[2] * target_channels * panel_size / nr;
    parallel_for(0, batch * groups * rows, grain_for(work), [&](int64_t begin, int64_t end) {
      // Rows are the inner loop, so that a panel of weights stays in the cache while all rows of this chunk use it.
      while (begin < end) {
        const int64_t group = begin / rows % groups, stop = std::min(end, (begin / rows + 1) * rows);
        for (int64_t p = 0; p < panels; ++p)
          for (int64_t r = begin; r < stop; ++r)
            compute_row(r / rows / groups, r % rows / target_size[1], r % target_size[1], group, p * nr,
                        int(std::min(nr, target_channels - p * nr)), weights + (group * panels + p) * panel_size);
        begin = stop;
      }
    });
  }
};

// Packs weights in Dense's order, given the strides between target channels, source channels, and taps.
template <class T>
void pack_weights(int64_t groups, int64_t taps, const T* w, int64_t targets, int64_t sources, int64_t target_stride, int64_t source_stride,
                  int64_t tap_stride, T* out) {
  const GemmKernels<T>& kernel = kernels<T>();
  const int64_t nr = kernel.tile_cols, panels = divide_up(targets, nr);
  parallel_for(0, groups * panels, grain_for(nr * sources * taps * 4), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i / panels, channel = i % panels * nr;
      const T* from = w + group * targets * sources * taps + channel * target_stride;
      for (int64_t t = 0; t < taps; ++t)
        kernel.pack_cols(from + t * tap_stride, target_stride, source_stride, int(std::min(nr, targets - channel)), sources,
                         out + (i * taps + t) * sources * nr);
    }
  });
}

// Copies images with zero padding on both sides of each line.
template <class T>
void pad_lines(const T* x, int64_t lines, int64_t length, int64_t padding, T* out) {
  parallel_for(0, lines, std::max<int64_t>(1, 65536 / length), [&](int64_t begin, int64_t end) {
    for (int64_t l = begin; l < end; ++l) {
      T* const to = out + l * (length + 2 * padding);
      std::fill_n(to, padding, T(0));
      std::copy_n(x + l * length, length, to + padding);
      std::fill_n(to + padding + length, padding, T(0));
    }
  });
}

}  // namespace

bool is_dense_product(const ConvShape& s) { return s.taps() > 1 && std::min(s.in_channels, s.out_channels) >= 16; }

bool is_dense_by_lines(const ConvShape& s) {
  return s.groups == 1 && s.dilation[2] == 1 && s.in_channels < 16 && s.out_channels >= 16 && s.in_channels * s.kernel[2] >= 4;
}

template <class T>
void dense_forward(const ConvShape& s, const T* x, const T* w, const T* bias, T* y) {
  const int64_t sources = s.in_channels, taps = s.taps();
  Buffer<T> weights(s.groups * round_up(s.out_channels, kernels<T>().tile_cols) * sources * taps);
  pack_weights(s.groups, taps, w, s.out_channels, sources, sources * taps, 1, sources, weights.data());
  Dense<T> dense{s.batch, s.groups, sources, s.out_channels, s.groups * sources, s.kernel, s.in, s.out, {}, 1, x, bias, weights.data(), y};
  for (int axis = 0; axis < 3; ++axis)
    for (int64_t k = 0; k < s.kernel[axis]; ++k) dense.spans[axis].push_back(forward_span(s, axis, k));
  dense.run();
}

template <class T>
void dense_forward_by_lines(const ConvShape& s, const T* x, const T* w, const T* bias, T* y) {
  const int64_t run = s.in_channels * s.kernel[2], lines = s.kernel[0] * s.kernel[1];
  Buffer<T> weights(round_up(s.out_channels, kernels<T>().tile_cols) * run * lines);
  pack_weights(1, lines, w, s.out_channels, run, run * lines, 1, run, weights.data());
  const int64_t in[3] = {s.in[0], s.in[1], s.in[2] + 2 * s.padding[2]}, kernel[3] = {s.kernel[0], s.kernel[1], 1};
  const int64_t all = s.batch * s.in[0] * s.in[1];
  Buffer<T> padded(s.padding[2] ? all * in[2] * s.in_channels : 0);
  if (s.padding[2]) pad_lines(x, all, s.in[2] * s.in_channels, s.padding[2] * s.in_channels, padded.data());
  const T* const source = s.padding[2] ? padded.data() : x;
  Dense<T> dense{s.batch, 1, run, s.out_channels, s.in_channels, kernel, in, s.out, {}, 1, source, bias, weights.data(), y};
  for (int axis = 0; axis < 2; ++axis)
    for (int64_t k = 0; k < s.kernel[axis]; ++k) dense.spans[axis].push_back(forward_span(s, axis, k));
  dense.spans[2].push_back({0, 1, s.out[2], 0, s.stride[2]});
  dense.run();
}

template <class T>
void dense_backward_input(const ConvShape& s, const T* y, const T* w, const T* bias, T* x) {
  const int64_t sources = s.out_channels, taps = s.taps();
  Buffer<T> weights(s.groups * round_up(s.in_channels, kernels<T>().tile_cols) * sources * taps);
  pack_weights(s.groups, taps, w, s.in_channels, sources, 1, s.in_channels * taps, s.in_channels, weights.data());
  Dense<T> dense{s.batch, s.groups,    sources, s.in_channels, s.groups * sources, s.kernel, s.out, s.in,
                 {},      s.stride[2], y,       bias,          weights.data(),     x};
  for (int axis = 0; axis < 3; ++axis)
    for (int64_t k = 0; k < s.kernel[axis]; ++k) dense.spans[axis].push_back(backward_span(s, axis, k));
  dense.run();
}

#define MT_INSTANTIATE(T)                                                             \
  template void dense_forward<T>(const ConvShape&, const T*, const T*, const T*, T*); \
  template void dense_backward_input<T>(const ConvShape&, const T*, const T*, const T*, T*);
MT_INSTANTIATE(float)
MT_INSTANTIATE(double)
#undef MT_INSTANTIATE
template void dense_forward_by_lines<float>(const ConvShape&, const float*, const float*, const float*, float*);

}  // namespace mt::cpu::detail
