// Convolutions of planar images: runs the algorithm that conv_choice.h chooses.
#include "cpu/conv/conv.h"

#include <algorithm>
#include <optional>
#include <type_traits>

#include "core/half.h"
#include "cpu/buffer.h"
#include "cpu/conv/conv_channels.h"
#include "cpu/conv/conv_choice.h"
#include "cpu/conv/conv_columns.h"
#include "cpu/conv/conv_depthwise.h"
#include "cpu/conv/conv_gather.h"
#include "cpu/conv/conv_in_place.h"
#include "cpu/conv/conv_product.h"
#include "cpu/conv/conv_rows.h"
#include "cpu/copy/convert.h"
#include "cpu/gemm/gemm.h"
#include "cpu/gemm/gemm_choice.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu {
namespace {

using detail::ConvPath;
using detail::ConvProduct;
using detail::is_float;
using detail::is_half_type;
using detail::is_real;
using detail::Tap;

// Widens half types to float, in which they are summed, before a loop that reads each element many times.
template <class T>
constexpr Dtype dtype_of_half = std::is_same_v<T, Half> ? Dtype::float16 : Dtype::bfloat16;
void convert_elements(const void* from, Dtype from_dtype, int64_t size, void* to, Dtype to_dtype) {
  const Conversion conversion(to_dtype, from_dtype);
  const int64_t from_size = element_size(from_dtype), to_size = element_size(to_dtype);
  char* const target = static_cast<char*>(to);
  const char* const source = static_cast<const char*>(from);
  parallel_for(0, size, 65536, [&](int64_t begin, int64_t end) {
    conversion(target + begin * to_size, to_size, source + begin * from_size, from_size, end - begin);
  });
}
template <class T>
class Widened {
 public:
  Widened(const T* from, int64_t size) : values_(from ? size : 0), is_empty_(from == nullptr) {
    if (from) convert_elements(from, dtype_of_half<T>, size, values_.data(), Dtype::float32);
  }
  const float* data() { return is_empty_ ? nullptr : values_.data(); }

 private:
  Buffer<float> values_;
  bool is_empty_;
};

// How to store a row so that the kernel's elements read contiguous runs: all pixels for stride 1, else one line per remainder, of every
// stride-th pixel.
struct Lines {
  std::vector<int64_t> first;  // first pixel of each line
  std::vector<int64_t> line, offset;  // per kernel element of the last dimension

  explicit Lines(const ConvShape& s) {
    const int64_t step = s.stride[2];
    for (int64_t k = 0; k < s.kernel[2]; ++k) {
      const int64_t at = k * s.dilation[2] - s.padding[2], whole = detail::floor_divide(at, step), rest = at - whole * step;
      auto found = std::find(first.begin(), first.end(), rest);
      line.push_back(found - first.begin());
      offset.push_back(whole);
      if (found == first.end()) first.push_back(rest);
    }
  }
};

// Rearranges pixels so that those which neighbouring positions read are contiguous.
template <class T>
struct SplitLines {
  Lines lines;
  int64_t line_length, source_rows;
  Buffer<T> pixels;

  SplitLines(const ConvShape& s, ConvProduct<T>& p)
      : lines(s), line_length((s.in[2] - 1) / s.stride[2] + 1), source_rows(s.batch * s.groups * s.in_channels * s.in[0] * s.in[1]),
        pixels(source_rows * int64_t(lines.first.size()) * line_length) {
    const int64_t n_lines = int64_t(lines.first.size());
    detail::split_rows(p.source, source_rows, s.in[2], s.stride[2], lines.first.data(), int(n_lines), line_length, pixels.data());
    for (int64_t i = 0; i < s.taps(); ++i) {
      Tap& tap = p.taps[size_t(i)];
      const size_t k = size_t(i % s.kernel[2]);
      const int64_t first = lines.first[size_t(lines.line[k])];
      tap.offset[2] = lines.offset[k];
      tap.line = lines.line[k] * line_length;
      tap.width = first < s.in[2] ? (s.in[2] - first - 1) / s.stride[2] + 1 : 0;
    }
    p.source = pixels.data();
    p.line_stride = n_lines * line_length;
    p.source_channel_stride = s.in[0] * s.in[1] * p.line_stride;
    p.source_image_stride = s.groups * s.in_channels * p.source_channel_stride;
  }
};

template <class T>
void fill_channels(const ConvShape& s, int64_t channels, int64_t size, const T* bias, T* out) {
  parallel_for(0, s.batch * channels, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, size)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) std::fill_n(out + i * size, size, bias ? bias[i % channels] : T(0));
  });
}

// Computes the gradient of the weight with output channels in the vector lanes; returns false if that takes too much memory.
template <class T>
bool try_weight_gradient_in_lanes(const ConvShape& s, const T* x, const T* y, T* w) {
  ConvProduct<T> p{detail::forward_shape(s), x, nullptr, nullptr, nullptr};
  std::optional<SplitLines<T>> split;
  if (s.stride[2] != 1 && s.out[2] != 1) split.emplace(s, p);
  return detail::weight_gradient_by_positions(p, y, w);
}

// A half-type convolution computed in float. Sizes are those of one image; `channels` are the result's.
template <class T>
void convolve_in_float(const ConvShape& s, void (*conv)(const ConvShape&, const float*, const float*, const float*, float*), const T* from,
                       int64_t from_size, const T* w, const T* bias, int64_t channels, T* to, int64_t to_size) {
  Widened<T> source(from, s.batch * from_size), weight(w, s.groups * s.out_channels * s.taps()), start(bias, channels);
  Buffer<float> sums(s.batch * to_size);
  conv(s, source.data(), weight.data(), start.data(), sums.data());
  convert_elements(sums.data(), Dtype::float32, s.batch * to_size, to, dtype_of_half<T>);
}

}  // namespace

template <class T>
void conv_forward(const ConvShape& s, const T* x, const T* w, const T* bias, T* y) {
  const int64_t in_channels = s.groups * s.in_channels, out_channels = s.groups * s.out_channels;
  const ConvPath path = detail::choose_forward<T>(s);
  if (path == ConvPath::nothing) return;
  if (path == ConvPath::constant) return fill_channels(s, out_channels, s.out_size(), bias, y);
  if constexpr (is_float<T>) {
    if (path == ConvPath::transposed) return conv_forward_transposing(s, x, w, bias, y);
    if (path == ConvPath::line) return detail::line_forward(s, x, w, bias, y);
  }
  if constexpr (is_float<T> || is_half_type<T>)
    if (path == ConvPath::rows) return detail::rows_forward(s, detail::Order::planar, x, w, bias, y);
  if constexpr (is_half_type<T>) {
    if (path == ConvPath::widened)
      return convolve_in_float(s, conv_forward<float>, x, in_channels * s.in_size(), w, bias, out_channels, y, out_channels * s.out_size());
  } else if constexpr (is_real<T>) {
    if (path == ConvPath::depthwise) return detail::depthwise_forward(s, x, w, bias, y);
  }
  ConvProduct<T> p{detail::forward_shape(s), x, w, bias, y};
  if constexpr (detail::can_go_by_positions<T>)
    if (path == ConvPath::lanes) return detail::run_by_positions(p);
  std::optional<SplitLines<T>> split;
  if (path == ConvPath::split_lines) split.emplace(s, p);
  run_product(p);
}

template <class T>
void conv_backward_input(const ConvShape& s, const T* y, const T* w, const T* bias, T* x) {
  const int64_t in_channels = s.groups * s.in_channels, out_channels = s.groups * s.out_channels;
  const ConvPath path = detail::choose_backward_input<T>(s);
  if (path == ConvPath::nothing) return;
  if (path == ConvPath::constant) return fill_channels(s, in_channels, s.in_size(), bias, x);
  if constexpr (is_float<T>) {
    if (path == ConvPath::transposed) return conv_backward_input_transposing(s, y, w, bias, x);
    if (path == ConvPath::rows) return detail::rows_backward_input(s, detail::Order::planar, y, w, bias, x);
  }
  if constexpr (is_half_type<T>) {
    if (path == ConvPath::widened)
      return convolve_in_float(s, conv_backward_input<float>, y, out_channels * s.out_size(), w, bias, in_channels, x,
                               in_channels * s.in_size());
  } else if constexpr (is_real<T>) {
    if (path == ConvPath::depthwise) return detail::depthwise_backward_input(s, y, w, bias, x);
  }
  if constexpr (is_real<T>)
    if (path == ConvPath::columns) return detail::columns_backward_input(s, y, w, bias, x);
  bool all_read = true;
  for (int i = 0; i < 3; ++i) all_read &= s.kernel[i] >= s.stride[i] && s.dilation[i] == 1;
  if (!all_read) fill_channels(s, in_channels, s.in_size(), bias, x);
  const std::vector<detail::ProductShape> shapes = detail::backward_shapes(s);
  if constexpr (detail::can_go_by_positions<T>) {
    if (path == ConvPath::lanes)
      return detail::run_by_positions(ConvProduct<T>{shapes[0], y, w, bias, x}, {shapes.begin() + 1, shapes.end()});
  }
  for (const detail::ProductShape& shape : shapes) run_product(ConvProduct<T>{shape, y, w, bias, x});
}

namespace {

// Computes the gradient of the weight as a sum of products of whole images, whose pixels are read in place.
template <class T>
void weight_gradient_by_images(const ConvShape& s, const T* x, const T* y, T* w) {
  const int64_t pixels = s.in_size();
  for (int64_t i = 0; i < s.batch * s.groups; ++i) {
    const int64_t image = i / s.groups, group = i % s.groups;
    gemm<T>(s.out_channels, s.in_channels, pixels, 1, {y + i * s.out_channels * pixels, pixels, 1},
            {x + i * s.in_channels * pixels, 1, pixels}, image > 0, {w + group * s.out_channels * s.in_channels, s.in_channels, 1});
  }
}

template <class T>
void run_weight_gradient(ConvPath path, const ConvShape& s, const T* x, const T* y, T* w) {
  const int64_t size = s.groups * s.out_channels * s.in_channels * s.taps();
  if (path == ConvPath::nothing) return;
  if (path == ConvPath::constant) return void(std::fill_n(w, size, T(0)));
  if (path == ConvPath::images) return weight_gradient_by_images(s, x, y, w);
  if constexpr (is_float<T>) {
    if (path == ConvPath::transposed) return conv_backward_weight_transposing(s, x, y, w);
    if (path == ConvPath::rows) return detail::rows_backward_weight(s, detail::Order::planar, x, y, w);
    if (path == ConvPath::line) return detail::line_backward_weight(s, x, y, w);
  }
  if constexpr (std::is_same_v<T, BFloat16>)
    if (path == ConvPath::patches) return detail::weight_gradient_by_patches(s, x, y, w);
  if constexpr (detail::can_go_by_positions<T>) {
    if (path == ConvPath::lanes) {
      if (try_weight_gradient_in_lanes(s, x, y, w)) return;
      return run_weight_gradient(detail::choose_backward_weight<T>(s, false), s, x, y, w);
    }
  }
  if constexpr (is_half_type<T>) {
    Widened<T> wide(x, s.batch * s.groups * s.in_channels * s.in_size()), narrow(y, s.batch * s.groups * s.out_channels * s.out_size());
    Buffer<float> sums(size);
    conv_backward_weight(s, wide.data(), narrow.data(), sums.data());
    convert_elements(sums.data(), Dtype::float32, size, w, dtype_of_half<T>);
  } else {
    if (path == ConvPath::depthwise) return detail::depthwise_backward_weight(s, x, y, w);
    detail::weight_gradient_by_product(s, x, y, w);
  }
}

}  // namespace

template <class T>
void conv_backward_weight(const ConvShape& s, const T* x, const T* y, T* w) {
  run_weight_gradient(detail::choose_backward_weight<T>(s), s, x, y, w);
}

#define MT_INSTANTIATE(T)                                                            \
  template void conv_forward<T>(const ConvShape&, const T*, const T*, const T*, T*); \
  template void conv_backward_input<T>(const ConvShape&, const T*, const T*, const T*, T*);
MT_INSTANTIATE(float)
MT_INSTANTIATE(double)
MT_INSTANTIATE(Half)
MT_INSTANTIATE(BFloat16)
MT_INSTANTIATE(int8_t)
MT_INSTANTIATE(int16_t)
MT_INSTANTIATE(int32_t)
MT_INSTANTIATE(int64_t)
#undef MT_INSTANTIATE
template void conv_backward_weight<float>(const ConvShape&, const float*, const float*, float*);
template void conv_backward_weight<double>(const ConvShape&, const double*, const double*, double*);
template void conv_backward_weight<Half>(const ConvShape&, const Half*, const Half*, Half*);
template void conv_backward_weight<BFloat16>(const ConvShape&, const BFloat16*, const BFloat16*, BFloat16*);

}  // namespace mt::cpu
