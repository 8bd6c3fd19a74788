// grid_sampler_2d: images read at the points of a grid; with its backward.
#include "rules/checked.h"
#include "rules/grid_sample.h"

namespace mt {
namespace {

constexpr auto forward = grid_sampler<2, "grid_sampler_2d_cpu_kernel_impl">;
constexpr auto backward = grid_sampler_backward<2, "grid_sampler_2d_backward_cpu_kernel_impl">;

MT_OP(OpDef{
    .schema = {"grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool "
               "align_corners) -> Tensor"},
    .forms = function,
    .doc = "The input's values at the points of `grid`, whose coordinates run from -1 to 1.",
    .rule = after(refuse_meta_mixtures),
    .cpu = forward,
    .npu = {"GridSampler2D"},
    .meta = forward,
    .grad = {wrt({"input", "grid"}, grid_sampler_formula<"grid_sampler_2d_backward">)},
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
    .grad = {wrt({"grad_output", "input", "grid"}, grid_sampler_second_formula)},
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
