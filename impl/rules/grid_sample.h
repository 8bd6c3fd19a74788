// Sampling at points of a grid: kernels for images and volumes, and the same in operators for derivatives of higher
// order.
#pragma once

#include "rules/algebra.h"
#include "rules/rule.h"

namespace mt {

struct Sampling {
  int64_t mode;     // 0 (bi)linear, 1 nearest, 2 bicubic
  int64_t padding;  // 0 zeros, 1 border, 2 reflection
  bool align_corners;
};

// "expected input and grid to be on same device": grid_sampler's refusal, and that of grid_sampler_3d, which comes before its rule.
void check_grid_device(const Tensor& input, const Tensor& grid);
void refuse_grid_elsewhere(const Call& call);
void check_grid(const Tensor& input, const Tensor& grid, int rank, const Sampling& sampling);
Tensor sample_grid(const Tensor& input, const Tensor& grid, const Sampling& sampling, const char* name);
Tensors<2> sample_grid_backward(const Tensor& grad, const Tensor& input, const Tensor& grid, const Sampling& sampling,
                                bool want_input, const char* name);

// Gradients of the backward with respect to (grad_output, input, grid), from those of its results; either may be
// undefined.
Tensors<3> sample_grid_second_backward(const Tensor& ggx, const Tensor& ggg, const Tensor& grad, const Tensor& input,
                                       const Tensor& grid, const Sampling& sampling);

}  // namespace mt
