// Which algorithm computes a convolution. This is the only place that decides; README.md gives the reasons.
#pragma once

#include <type_traits>

#include "core/half.h"
#include "cpu/conv/conv.h"

namespace mt::cpu::detail {

template <class T>
constexpr bool is_float = std::is_same_v<T, float>;
template <class T>
constexpr bool is_half_type = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <class T>
constexpr bool is_real = std::is_floating_point_v<T> || is_half_type<T>;

enum class ConvPath : uint8_t {
  nothing,      // the result has no elements
  constant,     // no pixel is read: the bias, or zeros
  transposed,   // planar images are transposed to channels-last and back
  rows,         // the pixels of each position are copied into a row of one product
  line,         // the pixels of each position are a row of a product in place
  widened,      // half types are converted to float, and a path of float runs
  depthwise,    // loops over lines, one channel per group
  columns,      // a product whose sums are added to the pixels that each position read
  product,      // a product that gathers pixels while it packs them
  split_lines,  // the same, after pixels that neighbouring positions read were made contiguous
  lanes,        // a product with channels in the vector lanes
  images,       // a sum of products of whole images, read in place
  patches,      // one product with a matrix of patches
  dense,        // channels-last: a product that reads pixels in place
  dense_lines,  // channels-last: each line of a kernel is one row of a product
  short_rows,   // channels-last: as `rows`, for lines that are shorter than a tile
};

// T: the types of conv.h's functions of the same directions.
template <class T>
ConvPath choose_forward(const ConvShape& shape);
template <class T>
ConvPath choose_backward_input(const ConvShape& shape);
// can_use_lanes: false if the padded copy that `lanes` needs would be too large.
template <class T>
ConvPath choose_backward_weight(const ConvShape& shape, bool can_use_lanes = true);

// For channels-last images, if conv_channels.h supports the convolution. T: float, double and the half types.
template <class T>
ConvPath choose_forward_channels_last(const ConvShape& shape);
template <class T>
ConvPath choose_backward_input_channels_last(const ConvShape& shape);
template <class T>
ConvPath choose_backward_weight_channels_last(const ConvShape& shape);

}  // namespace mt::cpu::detail
