// grid_sampler: images or volumes read at the points of a grid; and the second derivatives of both.
#include "dispatch/autocast.h"
#include "rules/grid_sample.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) "
               "-> Tensor"},
    .forms = function,
    .doc = "The values of (N, C, ...) at the points of `grid` (N, ..., 2 or 3), whose coordinates run from -1 to 1.",
    .composite = [](const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding,
                    bool align_corners) -> Tensor {
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
    .doc = "The gradients of a grid sampler's backward with respect to grad_output, input and grid.",
    .cpu = [](const Tensor& ggx, const Tensor& ggg, const Tensor& grad, const Tensor& input, const Tensor& grid,
              int64_t mode, int64_t padding, bool align_corners) -> Tensors<3> {
      return sample_grid_second_backward(ggx, ggg, grad, input, grid, {mode, padding, align_corners});
    },
});

}  // namespace
}  // namespace mt
