// grid_sampler_2d: images read at the points of a grid; with its backward.
#include "rules/checked.h"
#include "rules/grid_sample.h"

namespace mt {
namespace {

constexpr auto forward = [](const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding,
                            bool align_corners) -> Tensor {
  const Sampling sampling{mode, padding, align_corners};
  check_grid(input, grid, 2, sampling);
  return sample_grid(input, grid, sampling, "grid_sampler_2d_cpu_kernel_impl");
};
constexpr auto backward = [](const Tensor& grad, const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding,
                             bool align_corners, List<uint8_t> mask) -> Tensors<2> {
  const Sampling sampling{mode, padding, align_corners};
  check_grid(input, grid, 2, sampling);
  return sample_grid_backward(grad, input, grid, sampling, mask[0], "grid_sampler_2d_backward_cpu_kernel_impl");
};

MT_OP(OpDef{
    .schema = {"grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool "
               "align_corners) -> Tensor"},
    .forms = function,
    .doc = "The input's values at the points of `grid`, whose coordinates run from -1 to 1.",
    .rule = after(refuse_meta_mixtures),
    .cpu = forward,
    .npu = {"GridSampler2D"},
    .meta = forward,
    .grad = {wrt({"input", "grid"},
                 [](Grad g, Wanted wanted, In<"input"> input, In<"grid"> grid, In<"interpolation_mode", int64_t> mode,
                    In<"padding_mode", int64_t> padding, In<"align_corners", bool> align) {
                   const uint8_t mask[] = {wanted[0], wanted[1]};
                   return op<"grid_sampler_2d_backward", Tensors<2>>(g, input, grid, *mode, *padding, *align,
                                                                     list_value(MT_TAG_BOOLS, mask, 2));
                 })},
    .no_forward = true,
});

MT_OP(OpDef{
    .schema = {"grid_sampler_2d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int "
               "padding_mode, bool align_corners, "
               "bool[2] output_mask) -> (Tensor, Tensor)"},
    .forms = internal,
    .doc = "The gradients of input and grid.",
    .cpu = backward,
    .npu = {"GridSampler2DBackward"},
    .meta = backward,
    .grad = {wrt({"grad_output", "input", "grid"},
                 [](GradOf<0> ggx, GradOf<1> ggg, In<"grad_output"> g, In<"input"> input, In<"grid"> grid,
                    In<"interpolation_mode", int64_t> mode, In<"padding_mode", int64_t> padding,
                    In<"align_corners", bool> align) {
                   return op<"_grid_sampler_second_backward", Tensors<3>>(ggx, ggg, g, input, grid, *mode, *padding,
                                                                          *align);
                 })},
});

MT_OP(OpDef{
    .schema =
        {"_grid_sampler_2d_cpu_fallback(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool "
         "align_corners) -> Tensor"},
    .forms = function,
    .doc = "grid_sampler_2d by its other name.",
    .composite = [](const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding,
                    bool align_corners) { return op<"grid_sampler_2d">(input, grid, mode, padding, align_corners); },
});

}  // namespace
}  // namespace mt
