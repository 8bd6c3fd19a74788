// Convolutions as one plain product each: the pixels that a position reads are copied into a row.
#pragma once

#include "cpu/conv/conv.h"

namespace mt::cpu::detail {

// Describes the other direction of the convolution as a forward convolution with stride 1.
ConvShape swap_direction(const ConvShape& shape);

// Images in conv.h's order, or channels-last.
enum class Order : uint8_t { planar, channels_last };

// Whether no pixel is read twice, and kernel elements or pixels are adjacent: then the rows are no larger than the image.
bool reads_pixels_once(const ConvShape& shape);
// Whether lines are too short for the tiles of a product that runs line by line.
bool has_short_lines(const ConvShape& shape);

// A line of one channel without padding, convolved to many: what a position reads is a row of a product in place.
bool is_line_of_one_channel(const ConvShape& shape);
void line_forward(const ConvShape& shape, const float* x, const float* w, const float* bias, float* y);
void line_backward_weight(const ConvShape& shape, const float* x, const float* y, float* w);

// As in conv.h, for one group and a kernel whose last dimension is contiguous; weights have the same order as the images. T is float or a
// half type.
template <class T>
void rows_forward(const ConvShape& shape, Order order, const T* x, const T* w, const T* bias, T* y);
// The gradient of the input. Requires reads_pixels_once().
void rows_backward_input(const ConvShape& shape, Order order, const float* y, const float* w, const float* bias, float* x);
void rows_backward_weight(const ConvShape& shape, Order order, const float* x, const float* y, float* w);
// The gradient of the input. Requires has_short_lines(), and channels-last order.
void rows_backward_input_of_short_lines(const ConvShape& shape, const float* y, const float* w, const float* bias, float* x);

}  // namespace mt::cpu::detail
