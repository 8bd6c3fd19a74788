// Rows of pixels for the products of convolutions: gathers pixels into rows, or scatters rows to the pixels.
#include "cpu/conv/conv_rows.h"

#include <algorithm>

#include "cpu/buffer.h"
#include "cpu/copy/copy.h"
#include "cpu/gemm/gemm.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu::detail {
namespace {

constexpr int64_t max_row_elements = int64_t{1} << 21;  // of the rows at a time

// The rows of a convolution: one per output position. A row has runs of neighbouring pixels (of all channels, if channels are
// contiguous), one run for each remaining channel, plane and line of the kernel.
struct Rows {
  const ConvShape& s;
  Order order;
  int64_t outer, inner, run;  // separate channels, contiguous channels, and elements of a run

  [[gnu::noinline]] Rows(const ConvShape& shape, Order given)
      : s(shape), order(given), outer(order == Order::planar ? s.in_channels : 1), inner(s.in_channels / outer), run(s.kernel[2] * inner) {}
  int64_t length() const { return s.in_channels * s.taps(); }
  int64_t lines_of_image() const { return s.out[0] * s.out[1]; }

  // Calls f(image element, row element, runs, low, high) for runs of lines [first, last), where [low, high) is inside the image: for all
  // positions of a line at once if no zeros are needed, else for each position.
  template <class F>
  void for_each_run(int64_t first, int64_t last, F f) const {
    const int64_t width = length();
    // Output lines of one position count as stride 1, where a line may be longer than the pixels that the position reads.
    const bool needs_zeros = s.padding[2] > 0 || (s.out[2] - 1) * s.stride[2] + s.kernel[2] > s.in[2];
    parallel_for(first, last, std::max<int64_t>(1, 16384 / (s.out[2] * width)), [&](int64_t begin, int64_t end) {
      for (int64_t l = begin; l < end; ++l) {
        const int64_t image = l / lines_of_image(), d = l / s.out[1] % s.out[0], h = l % s.out[1];
        for (int64_t c = 0; c < outer; ++c)
          for (int64_t i = 0; i < s.kernel[0]; ++i)
            for (int64_t j = 0; j < s.kernel[1]; ++j) {
              const int64_t plane = d * s.stride[0] - s.padding[0] + i * s.dilation[0];
              const int64_t line = h * s.stride[1] - s.padding[1] + j * s.dilation[1];
              const bool inside = plane >= 0 && plane < s.in[0] && line >= 0 && line < s.in[1];
              const int64_t from = (((image * outer + c) * s.in[0] + plane) * s.in[1] + line) * s.in[2];
              int64_t row = (l - first) * s.out[2] * width + ((c * s.kernel[0] + i) * s.kernel[1] + j) * run;
              if (inside && !needs_zeros) {
                f(from * inner, row, s.out[2], 0, run);
                continue;
              }
              for (int64_t p = 0, at = -s.padding[2]; p < s.out[2]; ++p, at += s.stride[2], row += width) {
                const int64_t low = inside ? std::clamp<int64_t>(-at, 0, s.kernel[2]) : 0;
                const int64_t high = inside ? std::clamp<int64_t>(s.in[2] - at, low, s.kernel[2]) : 0;
                f((from + at) * inner, row, 1, low * inner, high * inner);
              }
            }
      }
    });
  }
  template <class T>
  [[gnu::noinline]] void gather(const T* x, int64_t first, int64_t last, T* rows) const {
    constexpr int64_t bytes = sizeof(T);
    for_each_run(first, last, [&](int64_t from, int64_t row, int64_t count, int64_t low, int64_t high) {
      T* const to = rows + row;
      std::fill_n(to, low, T(0.0f));
      move_rows(reinterpret_cast<char*>(to + low), length() * bytes, reinterpret_cast<const char*>(x + from + low),
                s.stride[2] * inner * bytes, count, (high - low) * bytes);
      std::fill_n(to + high, run - high, T(0.0f));
    });
  }
  // Copies rows back to the pixels, for runs that do not overlap.
  [[gnu::noinline]] void scatter(const float* rows, int64_t first, int64_t last, float* x) const {
    for_each_run(first, last, [&](int64_t from, int64_t row, int64_t count, int64_t low, int64_t high) {
      move_rows(reinterpret_cast<char*>(x + from + low), s.stride[2] * inner * size, reinterpret_cast<const char*>(rows + row + low),
                length() * size, count, (high - low) * size);
    });
  }
  static constexpr int64_t size = sizeof(float);

  // Calls f(first line, last line, buffer) for groups of lines whose rows fit into the cache; planar images one by one.
  template <class T = float, class F>
  void for_each_block(F f) const {
    const int64_t all = s.batch * lines_of_image(), line = s.out[2] * length();
    const int64_t lines = order == Order::planar ? lines_of_image() : std::clamp<int64_t>(max_row_elements / line, 1, all);
    Buffer<T> rows(lines * line);
    for (int64_t first = 0; first < all; first += lines) f(first, std::min(all, first + lines), rows.data());
  }
  // The output positions from a line on, as rows of a matrix.
  template <class M, class P>
  M view_positions_as_matrix(P* y, int64_t line) const {
    if (order == Order::channels_last) return {y + line * s.out[2] * s.out_channels, s.out_channels, 1};
    return {y + line * s.out[2] * s.out_channels, 1, s.out_size()};
  }
};

}  // namespace

ConvShape swap_direction(const ConvShape& s) {
  ConvShape t = s;
  std::swap(t.in_channels, t.out_channels);
  std::swap(t.in, t.out);
  for (int i = 0; i < 3; ++i) t.padding[i] = (s.kernel[i] - 1) * s.dilation[i] - s.padding[i];
  return t;
}

bool reads_pixels_once(const ConvShape& s) {
  if (s.groups != 1 || s.reads_pixels_in_place()) return false;
  for (int i = 0; i < 3; ++i)
    if (s.padding[i] != 0 || s.dilation[i] != 1 || (s.out[i] > 1 && s.kernel[i] > s.stride[i])) return false;
  return true;
}

bool has_short_lines(const ConvShape& s) {
  if (s.groups != 1 || s.out[2] >= 12 || s.dilation[2] != 1) return false;
  for (int i = 0; i < 3; ++i)
    if (s.stride[i] != 1 || s.padding[i] > (s.kernel[i] - 1) * s.dilation[i]) return false;
  return true;
}

bool is_line_of_one_channel(const ConvShape& s) {
  return s.groups == 1 && s.in_channels == 1 && s.out_channels >= 16 && s.in[0] * s.in[1] == 1 && s.kernel[0] * s.kernel[1] == 1 &&
         s.padding[0] + s.padding[1] + s.padding[2] == 0;
}
void line_forward(const ConvShape& s, const float* x, const float* w, const float* bias, float* y) {
  Epilogue<float> epilogue;
  epilogue.row_bias = bias;
  for (int64_t i = 0; i < s.batch; ++i)
    gemm<float>(s.out_channels, s.out[2], s.kernel[2], 1, {w, s.kernel[2], 1}, {x + i * s.in[2], s.dilation[2], s.stride[2]}, 0,
                {y + i * s.out_channels * s.out[2], s.out[2], 1}, epilogue);
}

void line_backward_weight(const ConvShape& s, const float* x, const float* y, float* w) {
  const int64_t taps = s.kernel[2], out = s.out[2];
  for (int64_t i = 0; i < s.batch; ++i)
    gemm<float>(s.out_channels, taps, out, 1, {y + i * s.out_channels * out, out, 1}, {x + i * s.in[2], s.stride[2], s.dilation[2]}, i > 0,
                {w, taps, 1});
}

template <class T>
void rows_forward(const ConvShape& s, Order order, const T* x, const T* w, const T* bias, T* y) {
  const Rows rows(s, order);
  Epilogue<T> epilogue;
  epilogue.col_bias = bias;
  rows.for_each_block<T>([&](int64_t first, int64_t last, T* block) {
    rows.gather(x, first, last, block);
    gemm<T>((last - first) * s.out[2], s.out_channels, rows.length(), 1, {block, rows.length(), 1}, {w, 1, rows.length()}, 0,
            rows.view_positions_as_matrix<Matrix<T>>(y, first), epilogue);
  });
}
template void rows_forward(const ConvShape&, Order, const float*, const float*, const float*, float*);
template void rows_forward(const ConvShape&, Order, const Half*, const Half*, const Half*, Half*);
template void rows_forward(const ConvShape&, Order, const BFloat16*, const BFloat16*, const BFloat16*, BFloat16*);

void rows_backward_input(const ConvShape& s, Order order, const float* y, const float* w, const float* bias, float* x) {
  const Rows rows(s, order);
  bool all_written = true;
  for (int i = 0; i < 3; ++i) all_written &= s.out[i] * s.kernel[i] == s.in[i];
  const auto bias_of = [&](int64_t channel) { return bias ? bias[channel] : 0.0f; };
  if (!all_written) {
    const int64_t size = s.in_size() * rows.inner;
    parallel_for(0, s.batch * rows.outer, std::max<int64_t>(1, 16384 / size), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        for (int64_t j = 0; j < size; ++j) x[i * size + j] = bias_of(i % rows.outer * rows.inner + j % rows.inner);
    });
  }
  Buffer<float> biases(bias ? rows.length() : 0);
  for (int64_t k = 0; bias && k < rows.length(); ++k) biases.data()[k] = bias[order == Order::planar ? k / s.taps() : k % s.in_channels];
  Epilogue<float> epilogue;
  epilogue.col_bias = bias ? biases.data() : nullptr;
  rows.for_each_block([&](int64_t first, int64_t last, float* block) {
    gemm<float>((last - first) * s.out[2], rows.length(), s.out_channels, 1, rows.view_positions_as_matrix<ConstMatrix<float>>(y, first),
                {w, rows.length(), 1}, 0, {block, rows.length(), 1}, epilogue);
    rows.scatter(block, first, last, x);
  });
}

void rows_backward_weight(const ConvShape& s, Order order, const float* x, const float* y, float* w) {
  const Rows rows(s, order);
  rows.for_each_block([&](int64_t first, int64_t last, float* block) {
    rows.gather(x, first, last, block);
    const ConstMatrix<float> grad = rows.view_positions_as_matrix<ConstMatrix<float>>(y, first);
    gemm<float>(s.out_channels, rows.length(), (last - first) * s.out[2], 1, {grad.data, grad.col_stride, grad.row_stride},
                {block, rows.length(), 1}, first > 0, {w, rows.length(), 1});
  });
}

void rows_backward_input_of_short_lines(const ConvShape& s, const float* y, const float* w, const float* bias, float* x) {
  const ConvShape swapped = swap_direction(s);
  const Rows rows(swapped, Order::channels_last);
  const int64_t taps = s.taps();
  rows.for_each_block([&](int64_t first, int64_t last, float* block) {
    rows.gather(y, first, last, block);
    for (int64_t tap = 0; tap < taps; ++tap) {
      Epilogue<float> epilogue;
      if (tap == taps - 1) epilogue.col_bias = bias;
      gemm<float>((last - first) * swapped.out[2], s.in_channels, s.out_channels, 1, {block + tap * s.out_channels, rows.length(), 1},
                  {w + (taps - 1 - tap) * s.in_channels, taps * s.in_channels, 1}, tap > 0,
                  rows.view_positions_as_matrix<Matrix<float>>(x, first), epilogue);
    }
  });
}

}  // namespace mt::cpu::detail
