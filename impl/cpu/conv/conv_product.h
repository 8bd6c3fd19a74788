// The matrix product inside a convolution; one operand is gathered from the image while it is packed.
#pragma once

#include <type_traits>
#include <vector>

#include "core/half.h"
#include "cpu/conv/conv.h"

namespace mt::cpu::detail {

// One kernel element: what it reads for grid position 0, and the length of the line that it reads.
struct Tap {
  int64_t kernel_index;
  int64_t offset[3];  // of planes, rows, and elements within the line
  int64_t line;       // start of the line in its row
  int64_t width;      // of the line
};

// The memory layout of a product's operands, for any type.
struct ProductShape {
  int64_t groups, images, rows, channels;
  std::vector<Tap> taps;
  int64_t count[3];          // the grid of positions
  int64_t step[3];  // planes, rows and elements between neighbouring positions; elements of a line are neighbours in `run_product`

  int64_t planes, lines;  // of one channel of the source
  int64_t line_stride;  // between rows
  int64_t source_channel_stride, source_image_stride;
  int64_t weight_group_stride, weight_row_stride, weight_channel_stride;
  int64_t target_start;  // of position 0
  int64_t target_stride[3];  // between positions
  int64_t target_channel_stride, target_image_stride;

  int64_t grid() const { return count[0] * count[1] * count[2]; }
};
// The shape of the forward product.
ProductShape forward_shape(const ConvShape& shape);
// The shapes of the adjoint: pixels with the same remainder modulo the stride use the same kernel elements, and there is one product for
// each remainder that occurs.
std::vector<ProductShape> backward_shapes(const ConvShape& shape);

// target(row, position) = bias(row) + sum over taps and channels of weight(row, channel, tap) * source(channel, position + tap).
template <class T>
struct ConvProduct : ProductShape {
  const T* source;
  const T* weight;
  const T* bias;  // groups * rows values, or nullptr
  T* target;
};

template <class T>
void run_product(const ConvProduct<T>& product);

// As run_product, with channels in the vector lanes and positions as rows of tiles; elements may be strided. Returns whether there is a
// kernel for that, and enough channels. `others` differ from the product only in taps, positions and target.
template <class T>
constexpr bool can_go_by_positions = std::is_same_v<T, float> || std::is_same_v<T, BFloat16>;
template <class T>
bool fills_product_lanes(int64_t rows, int64_t channels);
template <class T>
void run_by_positions(const ConvProduct<T>& product, const std::vector<ProductShape>& others = {});

// The gradient of the weight: the product of the output's gradient with the gathered pixels, summed over positions. Float and double.
template <class T>
void weight_gradient_by_product(const ConvShape& shape, const T* x, const T* y, T* w);

// As weight_gradient_by_product, with output channels in the vector lanes and pixels read from a padded copy; a row of a tile is one tap of
// a channel. `forward` is the product of the forward direction, in which neighbouring positions read neighbouring pixels. Returns false if
// the copy would take too much memory.
template <class T>
bool fills_weight_lanes(const ConvShape& shape);
template <class T>
bool weight_gradient_by_positions(const ConvProduct<T>& forward, const T* y, T* w);

// The gradient of the weight as one product with a matrix of patches, for processors on which a bfloat16 product is much faster than a
// float one; has_small_patches() says whether the matrix takes little enough memory.
bool has_small_patches(const ConvShape& shape);
void weight_gradient_by_patches(const ConvShape& shape, const BFloat16* x, const BFloat16* y, BFloat16* w);

}  // namespace mt::cpu::detail
