// grid_sampler_3d: samples volumes at the points of a grid; with its backward.
#include "rules/form/checked.h"
#include "rules/resample/grid_sample.h"

namespace mt {
namespace {

constexpr auto sample_grid_3d = grid_sampler<3, "grid_sampler3d_cpu">;
constexpr auto sample_grid_3d_backward = grid_sampler_backward<3, "grid_sampler_3d_backward_cpu">;

MT_OP(OpDef{
    .schema = {"grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool "
               "align_corners) -> Tensor"},
    .forms = function,
    .doc = R"(Reads volumes at the points of a grid, by interpolation.

`grid` holds a point (x, y) or (x, y, z) for each output element; -1 and 1 are the outer edges of
the outermost elements, with `align_corners` their centres. A NaN coordinate gives NaN with zero
padding and otherwise reads the first element. ``torch.nn.functional.grid_sample`` takes the modes
by name (Jaderberg et al., "Spatial transformer networks", NeurIPS 2015).

Args:
    input (Tensor): shape ``(N, C, D, H, W)``; a floating dtype.
    grid (Tensor): shape ``(N, D', H', W', 3)``; dtype of `input`.
    interpolation_mode (int): 0 linear, 1 nearest.
    padding_mode (int): what is read outside: 0 zeros, 1 the nearest edge, 2 the reflection at the
        edge.
    align_corners (bool): whether -1 and 1 are the centres of the outermost elements.

Returns:
    Tensor: shape ``(N, C, D', H', W')``.

Raises:
    RuntimeError: when shapes, dtypes or modes do not fit.

Example:
    >>> x, grid = torch.ones(1, 2, 3, 3, 3), torch.zeros(1, 1, 1, 4, 3)
    >>> F.grid_sample(x, grid, align_corners=False).shape
    torch.Size([1, 2, 1, 1, 4]))",
    .rule = rule_after_check(refuse_grid_elsewhere),
    .cpu = sample_grid_3d,
    .npu = {"GridSampler3D"},
    .meta = sample_grid_3d,
    .grad = {wrt({"input", "grid"}, grid_sampler_formula<"grid_sampler_3d_backward">)},
    .no_forward = true,
});

MT_OP(OpDef{
    .schema = {"grid_sampler_3d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int "
               "padding_mode, bool align_corners, "
               "bool[2] output_mask) -> (Tensor, Tensor)"},
    .forms = internal,
    .doc = "Computes the gradients of ``grid_sampler_3d`` for `input` and `grid`, as `output_mask` asks.",
    .cpu = sample_grid_3d_backward,
    .npu = {"GridSampler3DBackward"},
    .meta = sample_grid_3d_backward,
    .grad = {wrt({"grad_output", "input", "grid"}, grid_sampler_second_formula)},
});

}  // namespace
}  // namespace mt
