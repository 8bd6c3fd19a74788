// grid_sampler_2d: samples images at the points of a grid; with its backward.
#include "rules/form/checked.h"
#include "rules/resample/grid_sample.h"

namespace mt {
namespace {

constexpr auto sample_grid_2d = grid_sampler<2, "grid_sampler_2d_cpu_kernel_impl">;
constexpr auto sample_grid_2d_backward = grid_sampler_backward<2, "grid_sampler_2d_backward_cpu_kernel_impl">;

MT_OP(OpDef{
    .schema = {"grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool "
               "align_corners) -> Tensor"},
    .forms = function,
    .doc = R"(Reads images at the points of a grid, by interpolation.

`grid` holds a point (x, y) or (x, y, z) for each output element; -1 and 1 are the outer edges of
the outermost elements, with `align_corners` their centres. A NaN coordinate gives NaN with zero
padding and otherwise reads the first element. ``torch.nn.functional.grid_sample`` takes the modes
by name (Jaderberg et al., "Spatial transformer networks", NeurIPS 2015).

Args:
    input (Tensor): shape ``(N, C, H, W)``; a floating dtype.
    grid (Tensor): shape ``(N, H', W', 2)``; dtype of `input`.
    interpolation_mode (int): 0 linear, 1 nearest, 2 cubic.
    padding_mode (int): what is read outside: 0 zeros, 1 the nearest edge, 2 the reflection at the
        edge.
    align_corners (bool): whether -1 and 1 are the centres of the outermost elements.

Returns:
    Tensor: shape ``(N, C, H', W')``.

Raises:
    RuntimeError: when shapes, dtypes or modes do not fit.

Example:
    >>> x, grid = torch.tensor([[[[1.0, 3.0]]]]), torch.tensor([[[[0.0, 0.0], [-0.5, 0.0]]]])
    >>> F.grid_sample(x, grid, align_corners=False)
    tensor([[[[2., 1.]]]]))",
    .rule = rule_after_check(refuse_meta_mixtures),
    .cpu = sample_grid_2d,
    .npu = {"GridSampler2D"},
    .meta = sample_grid_2d,
    .grad = {wrt({"input", "grid"}, grid_sampler_formula<"grid_sampler_2d_backward">)},
    .no_forward = true,
});

MT_OP(OpDef{
    .schema = {"grid_sampler_2d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int "
               "padding_mode, bool align_corners, "
               "bool[2] output_mask) -> (Tensor, Tensor)"},
    .forms = internal,
    .doc = "Computes the gradients of ``grid_sampler_2d`` for `input` and `grid`, as `output_mask` asks.",
    .cpu = sample_grid_2d_backward,
    .npu = {"GridSampler2DBackward"},
    .meta = sample_grid_2d_backward,
    .grad = {wrt({"grad_output", "input", "grid"}, grid_sampler_second_formula)},
});

MT_OP(OpDef{
    .schema = {"_grid_sampler_2d_cpu_fallback(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool "
               "align_corners) -> Tensor"},
    .forms = function,
    .doc = "Computes ``grid_sampler_2d``; it is another name for it.",
    .composite = [](const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding,
                    bool align_corners) { return op<"grid_sampler_2d">(input, grid, mode, padding, align_corners); },
});

}  // namespace
}  // namespace mt
