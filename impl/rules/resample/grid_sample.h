// Sampling of images and volumes at the points of a grid, its gradients and second gradients.
#pragma once

#include "cpu/resample/grid_sample.h"
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {

using cpu::Sampling;

// "expected input and grid to be on same device": the check of grid_sampler, and of grid_sampler_3d, where it runs before the rule.
void check_grid_device(const Tensor& input, const Tensor& grid);
void refuse_grid_elsewhere(const Call& call);
void check_grid(const Tensor& input, const Tensor& grid, int rank, const Sampling& sampling);
Tensor sample_grid(const Tensor& input, const Tensor& grid, const Sampling& sampling, const char* name);
Tensors<2> sample_grid_backward(const Tensor& grad, const Tensor& input, const Tensor& grid, const Sampling& sampling, bool want_input,
                                const char* name);

// Gradients of the backward function with respect to (grad_output, input, grid), from those of its results; either may be
// undefined.
Tensors<3> sample_grid_second_backward(const Tensor& ggx, const Tensor& ggg, const Tensor& grad, const Tensor& input, const Tensor& grid,
                                       const Sampling& sampling);

// The bodies and formulas of the sampler of rank `Rank`; `Kernel` is the name in "... not implemented for 'Int'".
template <int Rank, Name Kernel>
constexpr auto grid_sampler = [](const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding, bool align_corners) -> Tensor {
  const Sampling sampling{mode, padding, align_corners};
  check_grid(input, grid, Rank, sampling);
  return sample_grid(input, grid, sampling, Kernel.text);
};
template <int Rank, Name Kernel>
constexpr auto grid_sampler_backward = [](const Tensor& grad, const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding,
                                          bool align_corners, List<uint8_t> mask) -> Tensors<2> {
  const Sampling sampling{mode, padding, align_corners};
  check_grid(input, grid, Rank, sampling);
  return sample_grid_backward(grad, input, grid, sampling, mask[0], Kernel.text);
};
template <Name Backward>
constexpr auto grid_sampler_formula = [](Grad g, Wanted wanted, In<"input"> input, In<"grid"> grid, In<"interpolation_mode", int64_t> mode,
                                         In<"padding_mode", int64_t> padding, In<"align_corners", bool> align) {
  const uint8_t mask[] = {wanted[0], wanted[1]};
  return op<Backward, Tensors<2>>(g, input, grid, *mode, *padding, *align, list_value(MT_TAG_BOOLS, mask, 2));
};
inline constexpr auto grid_sampler_second_formula = [](GradOf<0> ggx, GradOf<1> ggg, In<"grad_output"> g, In<"input"> input,
                                                       In<"grid"> grid, In<"interpolation_mode", int64_t> mode,
                                                       In<"padding_mode", int64_t> padding, In<"align_corners", bool> align) {
  return op<"_grid_sampler_second_backward", Tensors<3>>(ggx, ggg, g, input, grid, *mode, *padding, *align);
};

}  // namespace mt
