// grid_sampler: samples images or volumes at the points of a grid; and the second derivatives of both.
#include "rules/resample/grid_sample.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) "
               "-> Tensor"},
    .forms = function,
    .doc = R"(Reads images or volumes at the points of a grid, by interpolation.

`grid` holds a point (x, y) or (x, y, z) for each output element; -1 and 1 are the outer edges of
the outermost elements, with `align_corners` their centres. A NaN coordinate gives NaN with zero
padding and otherwise reads the first element. ``torch.nn.functional.grid_sample`` takes the modes
by name (Jaderberg et al., "Spatial transformer networks", NeurIPS 2015).

Args:
    input (Tensor): shape ``(N, C, H, W)`` or ``(N, C, D, H, W)``; a floating dtype.
    grid (Tensor): shape ``(N, *, 2)`` or ``(N, *, 3)``; dtype of `input`.
    interpolation_mode (int): 0 linear, 1 nearest, 2 cubic (images only).
    padding_mode (int): what is read outside: 0 zeros, 1 the nearest edge, 2 the reflection at the
        edge.
    align_corners (bool): whether -1 and 1 are the centres of the outermost elements.

Returns:
    Tensor: shape ``(N, C, *)`` with the sizes of the grid.

Raises:
    RuntimeError: when shapes, dtypes or modes do not fit.

Example:
    >>> x, grid = torch.tensor([[[[1.0, 3.0]]]]), torch.tensor([[[[0.0, 0.0], [-0.5, 0.0]]]])
    >>> F.grid_sample(x, grid, align_corners=False)
    tensor([[[[2., 1.]]]]))",
    .composite = [](const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding, bool align_corners) -> Tensor {
      check_grid(input, grid, 0, {mode, padding, align_corners});
      if (input.dim() == 4) return op<"grid_sampler_2d">(input, grid, mode, padding, align_corners);
      return op<"grid_sampler_3d">(input, grid, mode, padding, align_corners);
    },
    .autocast = everywhere(Autocast::promote),
});

MT_OP(OpDef{
    .schema = {"_grid_sampler_second_backward(Tensor? grad_grad_input, Tensor? grad_grad_grid, Tensor grad_output, "
               "Tensor input, Tensor grid, int "
               "interpolation_mode, int padding_mode, bool align_corners) -> (Tensor, Tensor, Tensor)"},
    .forms = internal,
    .doc = "Computes the gradients of a grid sampler's backward for `grad_output`, `input` and `grid`.",
    .cpu = [](const Tensor& ggx, const Tensor& ggg, const Tensor& grad, const Tensor& input, const Tensor& grid, int64_t mode,
              int64_t padding, bool align_corners) -> Tensors<3> {
      return sample_grid_second_backward(ggx, ggg, grad, input, grid, {mode, padding, align_corners});
    },
});

}  // namespace
}  // namespace mt
