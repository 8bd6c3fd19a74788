// Channels-last convolutions: vectors run over channels, so each kernel element reads pixels in place.
#include "cpu/conv/conv_channels.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/half.h"
#include "cpu/buffer.h"
#include "cpu/clones.h"
#include "cpu/conv/conv_choice.h"
#include "cpu/conv/conv_dense.h"
#include "cpu/conv/conv_depthwise.h"
#include "cpu/conv/conv_gather.h"
#include "cpu/conv/conv_rows.h"
#include "cpu/gemm/gemm.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu {
namespace {

using detail::choose_width;
using detail::ConvPath;
using detail::Order;

constexpr int64_t max_lanes = 16;
template <int Bytes>
struct Lanes {
  typedef float type __attribute__((vector_size(Bytes)));
  static constexpr int64_t count = Bytes / int64_t(sizeof(float));
};

// What the positions of one axis read: pairs of a kernel element and a source index.
struct Axis {
  struct Read {
    int64_t tap, source;
  };
  std::vector<Read> reads;
  std::vector<int64_t> first{0};  // start of each position's pairs, and the end

  int64_t count(int64_t position) const { return first[size_t(position) + 1] - first[size_t(position)]; }
  const Read* at(int64_t position) const { return reads.data() + first[size_t(position)]; }
  // For each position, how many positions from it on read the same kernel elements, each `step` source pixels after the one before.
  std::vector<int64_t> lengths_of_equal_reads(int64_t step) const {
    std::vector<int64_t> length(first.size() - 1, 1);
    for (int64_t p = int64_t(length.size()) - 2; p >= 0; --p) {
      bool same = count(p) == count(p + 1);
      for (int64_t i = 0; same && i < count(p); ++i)
        same = at(p)[i].tap == at(p + 1)[i].tap && at(p)[i].source + step == at(p + 1)[i].source;
      if (same) length[size_t(p)] += length[size_t(p) + 1];
    }
    return length;
  }
};

Axis forward_axis(const ConvShape& s, int i) {
  Axis axis;
  for (int64_t o = 0; o < s.out[i]; ++o) {
    for (int64_t k = 0; k < s.kernel[i]; ++k) {
      const int64_t place = o * s.stride[i] - s.padding[i] + k * s.dilation[i];
      if (place >= 0 && place < s.in[i]) axis.reads.push_back({k, place});
    }
    axis.first.push_back(int64_t(axis.reads.size()));
  }
  return axis;
}
Axis backward_axis(const ConvShape& s, int i) {
  Axis axis;
  for (int64_t p = 0; p < s.in[i]; ++p) {
    for (int64_t k = 0; k < s.kernel[i]; ++k) {
      const int64_t from = p + s.padding[i] - k * s.dilation[i];
      if (from >= 0 && from % s.stride[i] == 0 && from / s.stride[i] < s.out[i]) axis.reads.push_back({k, from / s.stride[i]});
    }
    axis.first.push_back(int64_t(axis.reads.size()));
  }
  return axis;
}

// One kernel element's contribution to a pixel, as offsets into the source and the weights.
struct Part {
  int64_t source, weight;
};

// Neighbouring target pixels that read the same kernel elements, each `step` elements after the one before.
struct Run {
  int64_t first, length;
  int64_t parts, count;  // index and number of its parts
};

// For each pixel p of a run: out[p * channels + c] = bias[c] + sum over parts of weight[part + c] * source[part + p * step + c]. A few
// vectors of channels pass over all runs of a line, so that their weights stay in the L1 cache.
template <int Bytes>
struct Accumulate {
  using Vector = typename Lanes<Bytes>::type;
  static constexpr int64_t lanes = Lanes<Bytes>::count;
  template <int Pixels, int Vectors>
  static MT_INLINE void block(const float* source, int64_t step, const float* weight, const Part* parts, int64_t count, const float* bias,
                              float* out, int64_t out_step) {
    Vector sums[Pixels][Vectors];
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      Vector start{};
      if (bias) std::memcpy(&start, bias + v * lanes, sizeof(Vector));
#pragma GCC unroll 4
      for (int p = 0; p < Pixels; ++p) sums[p][v] = start;
    }
    for (int64_t i = 0; i < count; ++i) {
      const float* const part = weight + parts[i].weight;
      const float* from[Pixels];
#pragma GCC unroll 4
      for (int p = 0; p < Pixels; ++p) from[p] = source + parts[i].source + p * step;
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) {
        Vector w;
        std::memcpy(&w, part + v * lanes, sizeof(Vector));
#pragma GCC unroll 4
        for (int p = 0; p < Pixels; ++p) {
          Vector value;
          std::memcpy(&value, from[p] + v * lanes, sizeof(Vector));
          sums[p][v] += w * value;
        }
      }
    }
#pragma GCC unroll 4
    for (int p = 0; p < Pixels; ++p) std::memcpy(out + p * out_step, sums[p], sizeof(sums[p]));
  }
  template <int Vectors>
  static MT_INLINE void line(const Run* runs, int64_t n, const Part* parts, const float* source, int64_t step, const float* weight,
                             const float* bias, float* out, int64_t channels) {
    for (const Run* r = runs; r < runs + n; ++r) {
      // The last four pixels of a run overlap those before, and are computed twice.
      for (int64_t done = 0; r->length >= 4 && done < r->length; done += 4) {
        const int64_t p = std::min(done, r->length - 4);
        block<4, Vectors>(source + p * step, step, weight, parts + r->parts, r->count, bias, out + (r->first + p) * channels, channels);
      }
      for (int64_t p = 0; r->length < 4 && p < r->length; ++p)
        block<1, Vectors>(source + p * step, step, weight, parts + r->parts, r->count, bias, out + (r->first + p) * channels, channels);
    }
  }
  static MT_INLINE void run(const Run* runs, int64_t n, const Part* parts, const float* source, int64_t step, const float* weight,
                            const float* bias, float* out, int64_t channels) {
    constexpr int at_once = Bytes == 64 ? 4 : 2;  // vectors whose sums fit into the registers
    int64_t c = 0;
    for (; c + at_once * lanes <= channels; c += at_once * lanes)
      line<at_once>(runs, n, parts, source + c, step, weight + c, bias ? bias + c : nullptr, out + c, channels);
    for (; c + lanes <= channels; c += lanes)
      line<1>(runs, n, parts, source + c, step, weight + c, bias ? bias + c : nullptr, out + c, channels);
    for (; c < channels; ++c)
      for (const Run* r = runs; r < runs + n; ++r)
        for (int64_t p = 0; p < r->length; ++p) {
          float sum = bias ? bias[c] : 0;
          for (const Part* i = parts + r->parts; i < parts + r->parts + r->count; ++i)
            sum += weight[i->weight + c] * source[i->source + p * step + c];
          out[(r->first + p) * channels + c] = sum;
        }
  }
};

// weight_grad[c] += sum over pixels p of output_grad[p * y_step + c] * input[p * x_step + c].
template <int Bytes>
struct Products {
  using Vector = typename Lanes<Bytes>::type;
  static constexpr int64_t lanes = Lanes<Bytes>::count;
  template <int Vectors>
  static MT_INLINE void block(const float* y, int64_t y_step, const float* x, int64_t x_step, int64_t pixels, float* sums) {
    Vector totals[Vectors];
    std::memcpy(totals, sums, sizeof(totals));
    for (int64_t p = 0; p < pixels; ++p)
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) {
        Vector a, b;
        std::memcpy(&a, y + p * y_step + v * lanes, sizeof(Vector));
        std::memcpy(&b, x + p * x_step + v * lanes, sizeof(Vector));
        totals[v] += a * b;
      }
    std::memcpy(sums, totals, sizeof(totals));
  }
  static MT_INLINE void run(const float* output_grad, int64_t y_step, const float* input, int64_t x_step, int64_t pixels, int64_t channels,
                            float* weight_grad) {
    int64_t c = 0;
    for (; c + 4 * lanes <= channels; c += 4 * lanes) block<4>(output_grad + c, y_step, input + c, x_step, pixels, weight_grad + c);
    for (; c + lanes <= channels; c += lanes) block<1>(output_grad + c, y_step, input + c, x_step, pixels, weight_grad + c);
    for (; c < channels; ++c)
      for (int64_t p = 0; p < pixels; ++p) weight_grad[c] += output_grad[p * y_step + c] * input[p * x_step + c];
  }
};

int64_t rows_grain(const ConvShape& s) { return std::max<int64_t>(1, 65536 / std::max<int64_t>(1, s.out[2] * s.groups * s.taps())); }

// Computes either direction: target pixels gather from source pixels as the axes state.
void run_depthwise(const ConvShape& s, const Axis (&axes)[3], const int64_t (&source_size)[3], const int64_t (&target_size)[3],
                   int64_t step, const float* source, const float* w, const float* bias, float* target) {
  const int64_t channels = s.groups, taps = s.taps();
  Buffer<float> weight(taps * channels);  // [tap][channel]
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t t = 0; t < taps; ++t) weight.data()[t * channels + c] = w[c * taps + t];
  const auto accumulate = choose_width<Accumulate>(Accumulate<64>::run);
  const int64_t rows = target_size[0] * target_size[1], source_image = source_size[0] * source_size[1] * source_size[2] * channels;
  const std::vector<int64_t> lengths = axes[2].lengths_of_equal_reads(step);
  parallel_for(0, s.batch * rows, rows_grain(s), [&](int64_t begin, int64_t end) {
    std::vector<Part> parts;
    std::vector<Run> runs;
    for (int64_t r = begin; r < end; ++r) {
      const int64_t d = r % rows / target_size[1], h = r % target_size[1];
      parts.clear(), runs.clear();
      for (int64_t p = 0; p < target_size[2]; p += lengths[size_t(p)]) {
        const int64_t before = int64_t(parts.size());
        for (int64_t i = 0; i < axes[0].count(d); ++i)
          for (int64_t j = 0; j < axes[1].count(h); ++j)
            for (int64_t k = 0; k < axes[2].count(p); ++k) {
              const Axis::Read a = axes[0].at(d)[i], b = axes[1].at(h)[j], c = axes[2].at(p)[k];
              parts.push_back({((a.source * source_size[1] + b.source) * source_size[2] + c.source) * channels,
                               ((a.tap * s.kernel[1] + b.tap) * s.kernel[2] + c.tap) * channels});
            }
        runs.push_back({p, lengths[size_t(p)], before, int64_t(parts.size()) - before});
      }
      accumulate(runs.data(), int64_t(runs.size()), parts.data(), source + r / rows * source_image, step * channels, weight.data(), bias,
                 target + r * target_size[2] * channels, channels);
    }
  });
}

bool is_vector_depthwise(const ConvShape& s) { return s.in_channels == 1 && s.out_channels == 1 && s.groups > 1 && s.taps() <= 256; }

template <class T>
constexpr bool is_wide = std::is_same_v<T, float> || std::is_same_v<T, double>;

}  // namespace

bool is_plain_product(const ConvShape& s) { return s.groups == 1 && s.reads_pixels_in_place(); }

template <class T>
bool has_channels_last_gradients(const ConvShape& s) {
  if (s.batch * s.in_size() * s.out_size() * s.groups * s.in_channels * s.out_channels * s.taps() == 0) return false;
  return (std::is_same_v<T, float> && (is_vector_depthwise(s) || detail::reads_pixels_once(s))) || is_plain_product(s) ||
         (is_wide<T> && detail::is_dense_product(s));
}
template <class T>
bool convolves_channels_last(const ConvShape& s) {
  return has_channels_last_gradients<T>(s) ||
         (std::is_same_v<T, float> && s.batch * s.in_size() * s.out_size() > 0 && detail::is_dense_by_lines(s));
}

template <class T>
void conv_forward_channels_last(const ConvShape& s, const T* x, const T* w, const T* bias, T* y) {
  const ConvPath path = detail::choose_forward_channels_last<T>(s);
  if (path == ConvPath::product) {
    Epilogue<T> epilogue;
    epilogue.col_bias = bias;
    return gemm<T>(s.batch * s.in_size(), s.out_channels, s.in_channels, 1, {x, s.in_channels, 1}, {w, 1, s.in_channels}, 0,
                   {y, s.out_channels, 1}, epilogue);
  }
  if constexpr (is_wide<T>)
    if (path == ConvPath::dense) return detail::dense_forward(s, x, w, bias, y);
  if constexpr (std::is_same_v<T, float>) {
    if (path == ConvPath::rows) return detail::rows_forward(s, Order::channels_last, x, w, bias, y);
    if (path == ConvPath::dense_lines) return detail::dense_forward_by_lines(s, x, w, bias, y);
    const Axis axes[] = {forward_axis(s, 0), forward_axis(s, 1), forward_axis(s, 2)};
    run_depthwise(s, axes, s.in, s.out, s.stride[2], x, w, bias, y);
  }
}

template <class T>
void conv_backward_input_channels_last(const ConvShape& s, const T* y, const T* w, const T* bias, T* x) {
  const ConvPath path = detail::choose_backward_input_channels_last<T>(s);
  if (path == ConvPath::product) {
    Epilogue<T> epilogue;
    epilogue.col_bias = bias;
    return gemm<T>(s.batch * s.in_size(), s.in_channels, s.out_channels, 1, {y, s.out_channels, 1}, {w, s.in_channels, 1}, 0,
                   {x, s.in_channels, 1}, epilogue);
  }
  if constexpr (is_wide<T>)
    if (path == ConvPath::dense) return detail::dense_backward_input(s, y, w, bias, x);
  if constexpr (std::is_same_v<T, float>) {
    if (path == ConvPath::rows) return detail::rows_backward_input(s, Order::channels_last, y, w, bias, x);
    if (path == ConvPath::short_rows) return detail::rows_backward_input_of_short_lines(s, y, w, bias, x);
    const Axis axes[] = {backward_axis(s, 0), backward_axis(s, 1), backward_axis(s, 2)};
    run_depthwise(s, axes, s.out, s.in, 1, y, w, bias, x);
  }
}

namespace {

// The sum runs over pixels, which are contiguous in planes.
template <class T>
void weight_gradient_of_planes(const ConvShape& s, const T* x, const T* y, T* w) {
  Buffer<T> in(s.batch * s.groups * s.in_channels * s.in_size()), out(s.batch * s.groups * s.out_channels * s.out_size());
  detail::interleave_channels(x, s.batch, s.in_size(), s.groups * s.in_channels, in.data());
  detail::interleave_channels(y, s.batch, s.out_size(), s.groups * s.out_channels, out.data());
  Buffer<T> weights(s.groups * s.out_channels * s.in_channels * s.taps());
  conv_backward_weight(s, static_cast<const T*>(in.data()), static_cast<const T*>(out.data()), weights.data());
  detail::interleave_channels(static_cast<const T*>(weights.data()), s.groups * s.out_channels, s.in_channels, s.taps(), w);
}

void depthwise_weight_gradient(const ConvShape& s, const float* x, const float* y, float* w) {
  const int64_t channels = s.groups, taps = s.taps(), rows = s.out[0] * s.out[1], size = taps * channels;
  const Chunks chunks = chunks_of(s.batch * rows, rows_grain(s));
  Buffer<float> partial(chunks.count * size);
  std::fill_n(partial.data(), chunks.count * size, 0.0f);
  const auto products = choose_width<Products>(Products<64>::run);
  parallel_for(0, s.batch * rows, rows_grain(s), [&](int64_t begin, int64_t end) {
    float* sums = partial.data() + begin / chunks.size * size;
    for (int64_t r = begin; r < end; ++r)
      for (int64_t t = 0; t < taps; ++t) {
        const int64_t element[] = {t / (s.kernel[1] * s.kernel[2]), t / s.kernel[2] % s.kernel[1], t % s.kernel[2]};
        const int64_t d = r % rows / s.out[1] * s.stride[0] - s.padding[0] + element[0] * s.dilation[0];
        const int64_t h = r % s.out[1] * s.stride[1] - s.padding[1] + element[1] * s.dilation[1];
        if (d < 0 || d >= s.in[0] || h < 0 || h >= s.in[1]) continue;
        const int64_t shift = element[2] * s.dilation[2] - s.padding[2];  // the pixel that position 0 reads
        const int64_t low = shift < 0 ? (-shift + s.stride[2] - 1) / s.stride[2] : 0;
        const int64_t high = shift < s.in[2] ? std::min(s.out[2], (s.in[2] - 1 - shift) / s.stride[2] + 1) : 0;
        if (low >= high) continue;
        const int64_t line = ((r / rows * s.in[0] + d) * s.in[1] + h) * s.in[2];
        products(y + (r * s.out[2] + low) * channels, channels, x + (line + shift + low * s.stride[2]) * channels, s.stride[2] * channels,
                 high - low, channels, sums + t * channels);
      }
  });
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t t = 0; t < taps; ++t) {
      float sum = 0;
      for (int64_t i = 0; i < chunks.count; ++i) sum += partial.data()[i * size + t * channels + c];
      w[c * taps + t] = sum;
    }
}

}  // namespace

template <class T>
void conv_backward_weight_channels_last(const ConvShape& s, const T* x, const T* y, T* w) {
  const ConvPath path = detail::choose_backward_weight_channels_last<T>(s);
  if (path == ConvPath::product)
    return gemm<T>(s.out_channels, s.in_channels, s.batch * s.in_size(), 1, {y, 1, s.out_channels}, {x, s.in_channels, 1}, 0,
                   {w, s.in_channels, 1});
  if constexpr (is_wide<T>)
    if (path == ConvPath::transposed) return weight_gradient_of_planes(s, x, y, w);
  if constexpr (std::is_same_v<T, float>) {
    if (path == ConvPath::rows) return detail::rows_backward_weight(s, Order::channels_last, x, y, w);
    depthwise_weight_gradient(s, x, y, w);
  }
}

bool is_worth_transposing(const ConvShape& s) {
  return s.in[2] <= 32 && s.groups >= max_lanes && is_vector_depthwise(s) && !detail::can_share_lines(s);
}

void conv_forward_transposing(const ConvShape& s, const float* x, const float* w, const float* bias, float* y) {
  Buffer<float> from(s.batch * s.groups * s.in_size()), to(s.batch * s.groups * s.out_size());
  detail::interleave_channels(x, s.batch, s.groups, s.in_size(), from.data());
  conv_forward_channels_last(s, static_cast<const float*>(from.data()), w, bias, to.data());
  detail::interleave_channels(static_cast<const float*>(to.data()), s.batch, s.out_size(), s.groups, y);
}
void conv_backward_input_transposing(const ConvShape& s, const float* y, const float* w, const float* bias, float* x) {
  Buffer<float> from(s.batch * s.groups * s.out_size()), to(s.batch * s.groups * s.in_size());
  detail::interleave_channels(y, s.batch, s.groups, s.out_size(), from.data());
  conv_backward_input_channels_last(s, static_cast<const float*>(from.data()), w, bias, to.data());
  detail::interleave_channels(static_cast<const float*>(to.data()), s.batch, s.in_size(), s.groups, x);
}
void conv_backward_weight_transposing(const ConvShape& s, const float* x, const float* y, float* w) {
  Buffer<float> in(s.batch * s.groups * s.in_size()), out(s.batch * s.groups * s.out_size());
  detail::interleave_channels(x, s.batch, s.groups, s.in_size(), in.data());
  detail::interleave_channels(y, s.batch, s.groups, s.out_size(), out.data());
  conv_backward_weight_channels_last(s, static_cast<const float*>(in.data()), static_cast<const float*>(out.data()), w);
}

#define MT_INSTANTIATE(T)                                                                                 \
  template bool convolves_channels_last<T>(const ConvShape&);                                             \
  template bool has_channels_last_gradients<T>(const ConvShape&);                                         \
  template void conv_forward_channels_last<T>(const ConvShape&, const T*, const T*, const T*, T*);        \
  template void conv_backward_input_channels_last<T>(const ConvShape&, const T*, const T*, const T*, T*); \
  template void conv_backward_weight_channels_last<T>(const ConvShape&, const T*, const T*, T*);
MT_INSTANTIATE(float)
MT_INSTANTIATE(double)
MT_INSTANTIATE(Half)
MT_INSTANTIATE(BFloat16)
#undef MT_INSTANTIATE

}  // namespace mt::cpu
