// The order of the conditions is the order of preference.
#include "cpu/conv/conv_choice.h"

#include "cpu/conv/conv_channels.h"
#include "cpu/conv/conv_columns.h"
#include "cpu/conv/conv_dense.h"
#include "cpu/conv/conv_depthwise.h"
#include "cpu/conv/conv_product.h"
#include "cpu/conv/conv_rows.h"
#include "cpu/gemm/gemm_choice.h"

namespace mt::cpu::detail {
namespace {

// Whether the pixels of one position can be copied into a row of a product in runs that are long enough.
bool is_product_of_patches(const ConvShape& s) { return s.kernel[2] >= 4 && reads_pixels_once(s); }

template <class T>
bool fills_forward_lanes(const ConvShape& s) {
  if constexpr (can_go_by_positions<T>) return fills_product_lanes<T>(s.out_channels, s.in_channels);
  return false;
}

}  // namespace

template <class T>
ConvPath choose_forward(const ConvShape& s) {
  if (s.batch * s.groups * s.out_channels * s.out_size() == 0) return ConvPath::nothing;
  if (s.in_channels * s.taps() == 0 || s.in_size() == 0) return ConvPath::constant;
  if (is_float<T> && is_worth_transposing(s)) return ConvPath::transposed;
  if ((is_float<T> || is_half_type<T>) && is_product_of_patches(s)) return ConvPath::rows;
  if (is_float<T> && is_line_of_one_channel(s)) return ConvPath::line;
  if (is_real<T> && is_depthwise(s)) return is_half_type<T> ? ConvPath::widened : ConvPath::depthwise;
  if (s.stride[2] == 1 || s.out[2] == 1) return ConvPath::product;
  return fills_forward_lanes<T>(s) ? ConvPath::lanes : ConvPath::split_lines;
}

template <class T>
ConvPath choose_backward_input(const ConvShape& s) {
  if (s.batch * s.groups * s.in_channels * s.in_size() == 0) return ConvPath::nothing;
  if (s.out_channels * s.taps() == 0 || s.out_size() == 0) return ConvPath::constant;
  if (is_float<T>) {
    if (is_worth_transposing(s)) return ConvPath::transposed;
    if (is_product_of_patches(s)) return ConvPath::rows;
    if (is_line_of_one_channel(s)) return ConvPath::columns;
  }
  if (is_real<T> && is_depthwise(s)) return is_half_type<T> ? ConvPath::widened : ConvPath::depthwise;
  if (is_real<T> && is_read_with_gaps(s)) return ConvPath::columns;
  if constexpr (can_go_by_positions<T>) {
    if (fills_product_lanes<T>(s.in_channels, s.out_channels) && backward_shapes(s).size() > 1) return ConvPath::lanes;
  }
  return ConvPath::product;
}

template <class T>
ConvPath choose_backward_weight(const ConvShape& s, bool can_use_lanes) {
  if (s.groups * s.out_channels * s.in_channels * s.taps() == 0) return ConvPath::nothing;
  if (s.batch * s.out_size() == 0 || s.in_size() == 0) return ConvPath::constant;
  if (is_float<T>) {
    if (is_worth_transposing(s)) return ConvPath::transposed;
    if (is_product_of_patches(s)) return ConvPath::rows;
    if (is_line_of_one_channel(s)) return ConvPath::line;
  }
  const bool has_groups_of_one = is_depthwise(s);
  if (!is_half_type<T> && has_groups_of_one) return ConvPath::depthwise;
  // Sums over several images would be rounded to half types after each.
  if (!has_groups_of_one && s.reads_pixels_in_place() && (!is_half_type<T> || s.batch == 1)) return ConvPath::images;
  if constexpr (can_go_by_positions<T>) {
    // If each pixel is read once, a product with patches is cheapest: it packs pairs of bfloat16 positions.
    const bool can_use_patches = !is_float<T> && !has_groups_of_one && kernels<T>().group == 2 && has_small_patches(s);
    if (can_use_patches && reads_pixels_once(s)) return ConvPath::patches;
    if (can_use_lanes && fills_weight_lanes<T>(s)) return ConvPath::lanes;
    if (can_use_patches) return ConvPath::patches;
  }
  return is_half_type<T> ? ConvPath::widened : ConvPath::product;
}

template <class T>
ConvPath choose_forward_channels_last(const ConvShape& s) {
  if (is_plain_product(s)) return ConvPath::product;
  if (is_float<T>) {
    if (reads_pixels_once(s) || (is_dense_product(s) && has_short_lines(s))) return ConvPath::rows;
    if (is_dense_by_lines(s)) return ConvPath::dense_lines;
  }
  return is_dense_product(s) ? ConvPath::dense : ConvPath::depthwise;
}

template <class T>
ConvPath choose_backward_input_channels_last(const ConvShape& s) {
  if (is_plain_product(s)) return ConvPath::product;
  if (is_float<T>) {
    if (reads_pixels_once(s)) return ConvPath::rows;
    if (is_dense_product(s) && has_short_lines(s)) return ConvPath::short_rows;
  }
  return is_dense_product(s) ? ConvPath::dense : ConvPath::depthwise;
}

template <class T>
ConvPath choose_backward_weight_channels_last(const ConvShape& s) {
  if (is_plain_product(s)) return ConvPath::product;
  if (is_float<T> && reads_pixels_once(s)) return ConvPath::rows;
  return is_dense_product(s) ? ConvPath::transposed : ConvPath::depthwise;
}

#define MT_INSTANTIATE(T)                                \
  template ConvPath choose_forward<T>(const ConvShape&); \
  template ConvPath choose_backward_input<T>(const ConvShape&);
MT_INSTANTIATE(float)
MT_INSTANTIATE(double)
MT_INSTANTIATE(Half)
MT_INSTANTIATE(BFloat16)
MT_INSTANTIATE(int8_t)
MT_INSTANTIATE(int16_t)
MT_INSTANTIATE(int32_t)
MT_INSTANTIATE(int64_t)
#undef MT_INSTANTIATE
#define MT_INSTANTIATE(T)                                                     \
  template ConvPath choose_backward_weight<T>(const ConvShape&, bool);        \
  template ConvPath choose_forward_channels_last<T>(const ConvShape&);        \
  template ConvPath choose_backward_input_channels_last<T>(const ConvShape&); \
  template ConvPath choose_backward_weight_channels_last<T>(const ConvShape&);
MT_INSTANTIATE(float)
MT_INSTANTIATE(double)
MT_INSTANTIATE(Half)
MT_INSTANTIATE(BFloat16)
#undef MT_INSTANTIATE

}  // namespace mt::cpu::detail
