// Sampling of images and volumes at the points of a grid, and its gradients.
#pragma once

#include <cstdint>

#include "cpu/copy/transpose_block.h"

namespace mt::cpu {

struct Sampling {
  int64_t mode;     // 0 (bi)linear, 1 nearest, 2 bicubic
  int64_t padding;  // 0 zeros, 1 border, 2 reflection
  bool align_corners;
};
// input: [batch][channels][in], of `plane` pixels; grid: [batch][rows][width][rank]; results: [batch][channels][rows][width].
struct GridShape {
  int rank;
  int64_t batch, channels, in[3], plane, rows, width;
};

// How the channels of a pixel are read.
struct ChannelAccess {
  bool by_channels;  // in vectors, from pixels with contiguous channels; not in half types, nor in planes of most_tiled_pixels
  bool gathers;      // such pixels are copied from planes, with padding
};
// Channels-last pixels are read without padding if their channels are a multiple of pixel_lanes.
template <class T>
inline constexpr int64_t pixel_lanes = Register<T>::lanes;
// Smaller planes are sampled in tiles, whose indices have 32 bits.
constexpr int64_t most_tiled_pixels = int64_t{1} << 30;

// Half types round after each step. With `by_channels` and without `gathers` the input is channels-last.
template <class T>
void sample_grid(const GridShape& shape, const Sampling& sampling, ChannelAccess access, const T* input, const T* grid, T* out);
// Adds to `input_grad`, which may be null. Float and double, here and below.
template <class C>
void sample_grid_backward(const GridShape& shape, const Sampling& sampling, const C* grad, const C* input, const C* grid, C* input_grad,
                          C* grid_grad);

// Adds the gradients of sample_grid_backward's results to `of_...`, given those results' gradients `along_...`.
template <class C>
struct SecondGradients {
  const C *grad, *input, *grid, *along_input, *along_grid;
  C *of_grad, *of_input, *of_grid;
};
template <class C>
void sample_grid_second_backward(const GridShape& shape, const Sampling& sampling, const SecondGradients<C>& gradients);

}  // namespace mt::cpu
