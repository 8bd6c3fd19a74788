// Every path of conv_choice.h against the sum that defines a convolution, on small integers, which are exact.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <vector>

#include "core/half.h"
#include "cpu/conv/conv.h"
#include "cpu/conv/conv_channels.h"
#include "cpu/conv/conv_choice.h"

namespace mt::cpu {
namespace {

using detail::ConvPath;
using Numbers = std::vector<double>;

struct Pair {
  int64_t rows, columns;
};

ConvShape images(int64_t batch, int64_t groups, int64_t in_channels, int64_t out_channels, Pair in, Pair kernel, int64_t stride = 1,
                 int64_t padding = 0, int64_t dilation = 1) {
  ConvShape s{batch,
              groups,
              in_channels,
              out_channels,
              {1, in.rows, in.columns},
              {1, 1, 1},
              {1, kernel.rows, kernel.columns},
              {1, stride, stride},
              {0, padding, padding},
              {1, dilation, dilation}};
  for (int i = 1; i < 3; ++i) s.out[i] = (s.in[i] + 2 * s.padding[i] - s.dilation[i] * (s.kernel[i] - 1) - 1) / s.stride[i] + 1;
  return s;
}
ConvShape line(int64_t out_channels, int64_t length, int64_t kernel, int64_t stride) {
  ConvShape s = images(2, 1, 1, out_channels, {1, length}, {1, kernel});
  s.stride[2] = stride;
  s.out[2] = (length - kernel) / stride + 1;
  return s;
}

Numbers random_integers(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  Numbers numbers(static_cast<size_t>(count));
  for (double& number : numbers) number = static_cast<int>(random() % 3) - 1;
  return numbers;
}

int64_t size_of_input(const ConvShape& s) { return s.batch * s.groups * s.in_channels * s.in_size(); }
int64_t size_of_weight(const ConvShape& s) { return s.groups * s.out_channels * s.in_channels * s.taps(); }
int64_t size_of_output(const ConvShape& s) { return s.batch * s.groups * s.out_channels * s.out_size(); }

// Calls visit(x, w, y) with the indices of each product x * w that is added to y, in the planar order of conv.h.
void for_each_product(const ConvShape& s, const std::function<void(int64_t, int64_t, int64_t)>& visit) {
  for (int64_t n = 0; n < s.batch * s.groups; ++n)
    for (int64_t o = 0; o < s.out_channels; ++o)
      for (int64_t p = 0; p < s.out_size(); ++p)
        for (int64_t c = 0; c < s.in_channels; ++c)
          for (int64_t t = 0; t < s.taps(); ++t) {
            const int64_t row = p / s.out[2] * s.stride[1] + t / s.kernel[2] * s.dilation[1] - s.padding[1];
            const int64_t column = p % s.out[2] * s.stride[2] + t % s.kernel[2] * s.dilation[2] - s.padding[2];
            if (row < 0 || row >= s.in[1] || column < 0 || column >= s.in[2]) continue;
            const int64_t group = n % s.groups;
            visit(((n * s.in_channels + c) * s.in[1] + row) * s.in[2] + column,
                  ((group * s.out_channels + o) * s.in_channels + c) * s.taps() + t, (n * s.out_channels + o) * s.out_size() + p);
          }
}

// Planar numbers in channels-last order, and back.
Numbers transpose(const Numbers& numbers, int64_t images, int64_t rows, int64_t columns) {
  Numbers out(numbers.size());
  for (int64_t i = 0; i < images; ++i)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        out[static_cast<size_t>((i * columns + c) * rows + r)] = numbers[static_cast<size_t>((i * rows + r) * columns + c)];
  return out;
}

template <class T>
std::vector<T> convert(const Numbers& numbers) {
  std::vector<T> out;
  for (double number : numbers) out.push_back(T(static_cast<float>(number)));
  return out;
}
template <class T>
Numbers widen(const std::vector<T>& numbers) {
  Numbers out;
  for (T number : numbers) out.push_back(static_cast<double>(static_cast<float>(number)));
  return out;
}

// What the three directions should give, in planar order.
struct Expected {
  Numbers x, w, y, bias, input_bias, forward, input, weight;
  explicit Expected(const ConvShape& s)
      : x(random_integers(size_of_input(s), 1)), w(random_integers(size_of_weight(s), 2)), y(random_integers(size_of_output(s), 3)),
        bias(random_integers(s.groups * s.out_channels, 4)), input_bias(random_integers(s.groups * s.in_channels, 5)), forward(y.size()),
        input(x.size()), weight(w.size()) {
    for (size_t i = 0; i < forward.size(); ++i) forward[i] = bias[i / static_cast<size_t>(s.out_size()) % bias.size()];
    for (size_t i = 0; i < input.size(); ++i) input[i] = input_bias[i / static_cast<size_t>(s.in_size()) % input_bias.size()];
    for_each_product(s, [&](int64_t at_x, int64_t at_w, int64_t at_y) {
      forward[static_cast<size_t>(at_y)] += x[static_cast<size_t>(at_x)] * w[static_cast<size_t>(at_w)];
      input[static_cast<size_t>(at_x)] += y[static_cast<size_t>(at_y)] * w[static_cast<size_t>(at_w)];
      weight[static_cast<size_t>(at_w)] += x[static_cast<size_t>(at_x)] * y[static_cast<size_t>(at_y)];
    });
  }
};

// `paths`: the expected one first, then those that processors without its instructions take.
void expect_path(ConvPath path, const std::vector<ConvPath>& paths) {
  EXPECT_NE(std::find(paths.begin(), paths.end(), path), paths.end()) << "path " << static_cast<int>(path);
}

template <class T>
void check_forward(const ConvShape& s, const std::vector<ConvPath>& paths) {
  expect_path(detail::choose_forward<T>(s), paths);
  const Expected expected(s);
  std::vector<T> y(expected.y.size());
  conv_forward(s, convert<T>(expected.x).data(), convert<T>(expected.w).data(), convert<T>(expected.bias).data(), y.data());
  EXPECT_EQ(widen(y), expected.forward);
}
template <class T>
void check_backward_input(const ConvShape& s, const std::vector<ConvPath>& paths) {
  expect_path(detail::choose_backward_input<T>(s), paths);
  const Expected expected(s);
  std::vector<T> x(expected.x.size());
  conv_backward_input(s, convert<T>(expected.y).data(), convert<T>(expected.w).data(), convert<T>(expected.input_bias).data(), x.data());
  EXPECT_EQ(widen(x), expected.input);
}
template <class T>
void check_backward_weight(const ConvShape& s, const std::vector<ConvPath>& paths) {
  expect_path(detail::choose_backward_weight<T>(s), paths);
  const Expected expected(s);
  std::vector<T> w(expected.w.size());
  conv_backward_weight(s, convert<T>(expected.x).data(), convert<T>(expected.y).data(), w.data());
  EXPECT_EQ(widen(w), expected.weight);
}

template <class T>
struct ChannelsLast {
  const ConvShape& s;
  Expected expected{s};
  Numbers order_input(const Numbers& n) const { return transpose(n, s.batch, s.groups * s.in_channels, s.in_size()); }
  Numbers order_output(const Numbers& n) const { return transpose(n, s.batch, s.groups * s.out_channels, s.out_size()); }
  Numbers order_weight(const Numbers& n) const { return transpose(n, s.groups * s.out_channels, s.in_channels, s.taps()); }
  std::vector<T> x = convert<T>(order_input(expected.x)), w = convert<T>(order_weight(expected.w)),
                 y = convert<T>(order_output(expected.y));
};

template <class T>
void check_channels_last(const ConvShape& s, ConvPath forward, ConvPath input, ConvPath weight) {
  const ChannelsLast<T> images{s};
  EXPECT_TRUE(convolves_channels_last<T>(s));
  expect_path(detail::choose_forward_channels_last<T>(s), {forward});
  std::vector<T> y(images.y.size()), x(images.x.size()), w(images.w.size());
  conv_forward_channels_last(s, images.x.data(), images.w.data(), convert<T>(images.expected.bias).data(), y.data());
  EXPECT_EQ(widen(y), images.order_output(images.expected.forward));
  if (!has_channels_last_gradients<T>(s)) return;
  expect_path(detail::choose_backward_input_channels_last<T>(s), {input});
  conv_backward_input_channels_last(s, images.y.data(), images.w.data(), convert<T>(images.expected.input_bias).data(), x.data());
  EXPECT_EQ(widen(x), images.order_input(images.expected.input));
  expect_path(detail::choose_backward_weight_channels_last<T>(s), {weight});
  conv_backward_weight_channels_last(s, images.x.data(), images.y.data(), w.data());
  EXPECT_EQ(widen(w), images.order_weight(images.expected.weight));
}

const ConvShape empty_batch = images(0, 1, 2, 3, {5, 5}, {3, 3}), no_channels = images(2, 1, 0, 3, {5, 5}, {3, 3});
const ConvShape small_planes = images(1, 32, 1, 1, {8, 8}, {5, 5}, 1, 2), large_planes = images(1, 8, 1, 1, {40, 40}, {3, 3}, 1, 1);
const ConvShape apart = images(2, 1, 3, 8, {16, 16}, {4, 4}, 4), audio = line(16, 64, 10, 3);
const ConvShape dense = images(2, 1, 4, 8, {9, 9}, {3, 3}, 1, 1), pointwise = images(2, 1, 6, 5, {4, 4}, {1, 1});
const ConvShape wide_strided = images(1, 1, 4, 64, {9, 9}, {3, 3}, 2, 1), narrow_strided = images(1, 2, 4, 3, {9, 9}, {3, 3}, 2, 1);
const ConvShape wide_input_strided = images(1, 1, 64, 2, {9, 9}, {3, 3}, 2, 1), far_apart = images(1, 1, 2, 64, {24, 24}, {2, 2}, 1, 0, 12);

TEST(ConvPaths, ForwardSumsAreExact) {
  check_forward<float>(empty_batch, {ConvPath::nothing});
  check_forward<float>(no_channels, {ConvPath::constant});
  check_forward<float>(small_planes, {ConvPath::transposed});
  check_forward<float>(apart, {ConvPath::rows});
  check_forward<BFloat16>(apart, {ConvPath::rows});
  check_forward<float>(audio, {ConvPath::line});
  check_forward<float>(large_planes, {ConvPath::depthwise});
  check_forward<Half>(large_planes, {ConvPath::widened});
  check_forward<double>(dense, {ConvPath::product});
  check_forward<int64_t>(dense, {ConvPath::product});
  check_forward<float>(wide_strided, {ConvPath::lanes, ConvPath::split_lines});
  check_forward<float>(narrow_strided, {ConvPath::split_lines});
}

TEST(ConvPaths, GradientsOfInputsAreExact) {
  check_backward_input<float>(empty_batch, {ConvPath::nothing});
  check_backward_input<float>(images(2, 1, 2, 0, {5, 5}, {3, 3}), {ConvPath::constant});
  check_backward_input<float>(small_planes, {ConvPath::transposed});
  check_backward_input<float>(apart, {ConvPath::rows});
  check_backward_input<float>(audio, {ConvPath::columns});
  check_backward_input<float>(far_apart, {ConvPath::columns});
  check_backward_input<float>(large_planes, {ConvPath::depthwise});
  check_backward_input<BFloat16>(large_planes, {ConvPath::widened});
  check_backward_input<float>(dense, {ConvPath::product});
  check_backward_input<float>(wide_input_strided, {ConvPath::lanes, ConvPath::product});
}

TEST(ConvPaths, GradientsOfWeightsAreExact) {
  check_backward_weight<float>(images(2, 1, 0, 3, {5, 5}, {3, 3}), {ConvPath::nothing});
  check_backward_weight<float>(empty_batch, {ConvPath::constant});
  check_backward_weight<float>(small_planes, {ConvPath::transposed});
  check_backward_weight<float>(apart, {ConvPath::rows});
  check_backward_weight<float>(audio, {ConvPath::line});
  check_backward_weight<float>(large_planes, {ConvPath::depthwise});
  check_backward_weight<float>(pointwise, {ConvPath::images});
  check_backward_weight<Half>(dense, {ConvPath::widened});
  check_backward_weight<BFloat16>(dense, {ConvPath::patches, ConvPath::widened});
  check_backward_weight<float>(wide_strided, {ConvPath::lanes, ConvPath::product});
  check_backward_weight<double>(dense, {ConvPath::product});
}

TEST(ConvPaths, ChannelsLastSumsAreExact) {
  check_channels_last<float>(pointwise, ConvPath::product, ConvPath::product, ConvPath::product);
  check_channels_last<Half>(pointwise, ConvPath::product, ConvPath::product, ConvPath::product);
  check_channels_last<float>(apart, ConvPath::rows, ConvPath::rows, ConvPath::rows);
  check_channels_last<float>(images(1, 1, 16, 16, {6, 6}, {3, 3}, 1, 1), ConvPath::rows, ConvPath::short_rows, ConvPath::transposed);
  check_channels_last<float>(images(1, 1, 16, 16, {5, 14}, {3, 3}, 1, 1), ConvPath::dense, ConvPath::dense, ConvPath::transposed);
  check_channels_last<double>(images(1, 1, 16, 16, {5, 14}, {3, 3}, 1, 1), ConvPath::dense, ConvPath::dense, ConvPath::transposed);
  check_channels_last<float>(images(1, 1, 3, 16, {5, 14}, {3, 3}, 1, 1), ConvPath::dense_lines, ConvPath::nothing, ConvPath::nothing);
  check_channels_last<float>(small_planes, ConvPath::depthwise, ConvPath::depthwise, ConvPath::depthwise);
}

}  // namespace
}  // namespace mt::cpu
