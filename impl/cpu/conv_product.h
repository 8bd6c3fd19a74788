// The matrix product inside a convolution, with one operand gathered from the image while it is packed.
#pragma once

#include <type_traits>
#include <vector>

#include "../core/half.h"
#include "conv.h"

namespace mt::cpu::detail {

// One kernel element: where it reads for the grid position 0, and how many elements the line that it reads has.
struct Tap {
  int64_t kernel_index;
  int64_t offset[3];  // of planes, rows, and elements within the line
  int64_t line;       // where the line begins in its row
  int64_t width;      // of the line
};

// target(row, position) = bias(row) + sum over taps and channels of weight(row, channel, tap) * source(channel, position + tap).
template <class T>
struct ConvProduct {
  int64_t groups, images, rows, channels;
  std::vector<Tap> taps;
  int64_t count[3];          // the grid of positions
  int64_t step[3];           // planes, rows and elements between neighbouring positions; these follow each other in `run_product`

  const T* source;
  int64_t planes, lines;     // of one channel of the source
  int64_t line_stride;       // from row to row
  int64_t source_channel_stride, source_image_stride;

  const T* weight;
  int64_t weight_group_stride, weight_row_stride, weight_channel_stride;
  const T* bias;             // groups * rows values, or nullptr

  T* target;
  int64_t target_stride[3];  // between positions
  int64_t target_channel_stride, target_image_stride;
};

template <class T>
void run_product(const ConvProduct<T>& product);

// The same with channels in the lanes of vectors and positions as rows of tiles; elements may lie apart. Whether there is a kernel for
// that, and its lanes have channels.
template <class T>
constexpr bool can_go_by_positions = std::is_same_v<T, float> || std::is_same_v<T, BFloat16>;
template <class T>
bool fills_lanes(const ConvProduct<T>& product);
template <class T>
void run_by_positions(const ConvProduct<T>& product);

// The gradient of the weight: the product of the output's gradient with the gathered pixels, summed over positions.
template <class T>
void weight_product(const ConvShape& shape, const T* x, const T* y, T* w);

// The same with the pixels that each position reads laid out for one product, where a product of bfloat16 is much faster than one of
// float. False: they would take too much memory.
bool weight_by_patches(const ConvShape& shape, const BFloat16* x, const BFloat16* y, BFloat16* w);

}  // namespace mt::cpu::detail
