// grid_sampler_3d: volumes read at the points of a grid; with its backward.
#include "rules/checked.h"
#include "rules/grid_sample.h"

namespace mt {
namespace {

constexpr auto forward = grid_sampler<3, "grid_sampler3d_cpu">;
constexpr auto backward = grid_sampler_backward<3, "grid_sampler_3d_backward_cpu">;

MT_OP(OpDef{
    .schema = {"grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool "
               "align_corners) -> Tensor"},
    .forms = function,
    .doc = "The input's values at the points of `grid`, whose coordinates run from -1 to 1.",
    .rule = after(refuse_grid_elsewhere),
    .cpu = forward,
    .npu = {"GridSampler3D"},
    .meta = forward,
    .grad = {wrt({"input", "grid"}, grid_sampler_formula<"grid_sampler_3d_backward">)},
    .no_forward = true,
});

MT_OP(OpDef{
    .schema = {"grid_sampler_3d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int "
               "padding_mode, bool align_corners, "
               "bool[2] output_mask) -> (Tensor, Tensor)"},
    .forms = internal,
    .doc = "The gradients of input and grid.",
    .cpu = backward,
    .npu = {"GridSampler3DBackward"},
    .meta = backward,
    .grad = {wrt({"grad_output", "input", "grid"}, grid_sampler_second_formula)},
});

}  // namespace
}  // namespace mt
