// Dense convolutions of channels-last images, forward and adjoint, tile by tile of target pixels.
#include "conv_dense.h"

#include <algorithm>
#include <vector>

#include "buffer.h"
#include "gemm_choice.h"
#include "parallel.h"

namespace mt::cpu::detail {
namespace {

// The target positions of one axis that a kernel element serves: `count` from `first` on, `step` apart, and where each reads.
struct Span {
  int64_t first, step, count, source, source_step;

  // What position p reads, or -1.
  int64_t read(int64_t p) const {
    const int64_t i = (p - first) / step;
    return p >= first && i < count && first + i * step == p ? source + i * source_step : -1;
  }
};

Span forward_span(const ConvShape& s, int axis, int64_t k) {
  const int64_t stride = s.stride[axis], shift = k * s.dilation[axis] - s.padding[axis];
  const int64_t low = shift < 0 ? up(-shift, stride) : 0;
  const int64_t high = shift < s.in[axis] ? std::min(s.out[axis], (s.in[axis] - 1 - shift) / stride + 1) : 0;
  return {low, 1, std::max<int64_t>(0, high - low), shift + low * stride, stride};
}
Span backward_span(const ConvShape& s, int axis, int64_t k) {
  // p = o * stride + shift for outputs o.
  const int64_t stride = s.stride[axis], shift = k * s.dilation[axis] - s.padding[axis];
  const int64_t low = shift < 0 ? up(-shift, stride) : 0;
  const int64_t high = shift < s.in[axis] ? std::min(s.out[axis], (s.in[axis] - 1 - shift) / stride + 1) : 0;
  return {shift + low * stride, stride, std::max<int64_t>(0, high - low), low, 1};
}

template <class T>
struct Dense {
  int64_t batch, groups, source_channels, target_channels;
  const int64_t *kernel, *source_size, *target_size;
  std::vector<Span> spans[3];  // per kernel element of an axis
  int64_t step;                // between neighbouring target positions of one span
  const T *source, *bias;
  const T* weights;  // [group][panel of target channels][kernel element][source channel][lane]
  T* target;

  // Pixels of row (d, h) of one image for one panel of channels.
  void row(int64_t image, int64_t d, int64_t h, int64_t group, int64_t channel, int lanes, const T* panel) const {
    const GemmKernels<T>& kernels_ = kernels<T>();
    const int64_t width = target_size[2], tile = kernels_.tile_rows * step;
    const int64_t pixel = groups * source_channels, out_pixel = groups * target_channels;
    T* const out = target + ((image * target_size[0] + d) * target_size[1] + h) * width * out_pixel + group * target_channels + channel;
    for (int64_t from = 0; from < width; from += tile) {
      const int64_t to = std::min(width, from + tile);
      for (int64_t p = from; p < to; ++p) {
        if (bias)
          std::copy_n(bias + group * target_channels + channel, lanes, out + p * out_pixel);
        else
          std::fill_n(out + p * out_pixel, lanes, T(0));
      }
      const T* weight = panel;
      for (int64_t i = 0; i < kernel[0]; ++i)
        for (int64_t j = 0; j < kernel[1]; ++j) {
          const int64_t plane = spans[0][size_t(i)].read(d), line = spans[1][size_t(j)].read(h);
          for (int64_t k = 0; k < kernel[2]; ++k, weight += source_channels * kernels_.tile_cols) {
            if (plane < 0 || line < 0) continue;
            const Span& span = spans[2][size_t(k)];
            const int64_t begin = from > span.first ? up(from - span.first, span.step) : 0;
            const int64_t end = to > span.first ? std::min(span.count, up(to - span.first, span.step)) : 0;
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

  void run() const {
    const int64_t nr = kernels<T>().tile_cols, panels = up(target_channels, nr);
    const int64_t panel_size = kernel[0] * kernel[1] * kernel[2] * source_channels * nr;
    const int64_t rows = target_size[0] * target_size[1];
    const int64_t work = target_size[2] * target_channels * panel_size / nr;
    parallel_for(0, batch * groups * rows, grain_for(work), [&](int64_t begin, int64_t end) {
      // A panel of weights stays in the cache while all rows of the piece pass.
      while (begin < end) {
        const int64_t group = begin / rows % groups, stop = std::min(end, (begin / rows + 1) * rows);
        for (int64_t p = 0; p < panels; ++p)
          for (int64_t r = begin; r < stop; ++r)
            row(r / rows / groups, r % rows / target_size[1], r % target_size[1], group, p * nr,
                int(std::min(nr, target_channels - p * nr)), weights + (group * panels + p) * panel_size);
        begin = stop;
      }
    });
  }
};

// Weights as Dense has them, from distances between the weights of neighbouring target channels, source channels, and groups.
template <class T>
void pack_weights(const ConvShape& s, const T* w, int64_t targets, int64_t sources, int64_t target_stride, int64_t source_stride, T* out) {
  const GemmKernels<T>& kernel = kernels<T>();
  const int64_t nr = kernel.tile_cols, panels = up(targets, nr), taps = s.taps();
  parallel_for(0, s.groups * panels, grain_for(nr * sources * taps * 4), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i / panels, channel = i % panels * nr;
      const T* from = w + group * s.out_channels * s.in_channels * taps + channel * target_stride;
      for (int64_t t = 0; t < taps; ++t)
        kernel.pack_cols(from + t, target_stride, source_stride, int(std::min(nr, targets - channel)), sources,
                         out + (i * taps + t) * sources * nr);
    }
  });
}

}  // namespace

bool is_dense_product(const ConvShape& s) { return s.taps() > 1 && std::min(s.in_channels, s.out_channels) >= 16; }

template <class T>
void dense_forward(const ConvShape& s, const T* x, const T* w, const T* bias, T* y) {
  Buffer<T> weights(s.groups * round_up(s.out_channels, kernels<T>().tile_cols) * s.in_channels * s.taps());
  pack_weights(s, w, s.out_channels, s.in_channels, s.in_channels * s.taps(), s.taps(), weights.data());
  Dense<T> dense{s.batch, s.groups, s.in_channels, s.out_channels, s.kernel, s.in, s.out, {}, 1, x, bias, weights.data(), y};
  for (int axis = 0; axis < 3; ++axis)
    for (int64_t k = 0; k < s.kernel[axis]; ++k) dense.spans[axis].push_back(forward_span(s, axis, k));
  dense.run();
}

template <class T>
void dense_backward_input(const ConvShape& s, const T* y, const T* w, const T* bias, T* x) {
  Buffer<T> weights(s.groups * round_up(s.in_channels, kernels<T>().tile_cols) * s.out_channels * s.taps());
  pack_weights(s, w, s.in_channels, s.out_channels, s.taps(), s.in_channels * s.taps(), weights.data());
  Dense<T> dense{s.batch, s.groups, s.out_channels, s.in_channels, s.kernel, s.out, s.in, {}, s.stride[2], y, bias, weights.data(), x};
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

}  // namespace mt::cpu::detail
