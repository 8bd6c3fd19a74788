// upsample_nearest2d: nearest-neighbour resampling of an image; with its backward.
#include "rules/form/exact_out.h"
#include "rules/resample/resample.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
               "upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor"},
    .forms = function | out,
    .doc = R"(Resamples images by repeating or leaving out elements.

Output element i is input element ``floor(i * in / out)``. ``torch.nn.functional.interpolate`` in
mode ``"nearest"`` calls it.

Args:
    self (Tensor): shape ``(N, C, H, W)``; ``input`` in the form with `scale_factors`.
    input (Tensor): shape ``(N, C, H, W)``.
    output_size (tuple of int): the wanted sizes of the last two dimensions.
    scales_h, scales_w (float, optional): out / in of a dimension, in place of the ratio of the
        sizes.
    scale_factors (tuple of float, optional): instead of `output_size`, out / in of each dimension;
        sizes are rounded down.

Returns:
    Tensor: shape of `self` with the wanted sizes at the end.

Raises:
    RuntimeError: when a size is not positive or the input has another number of dimensions.

Example:
    >>> F.interpolate(torch.tensor([[[[1.0, 2.0]]]]), scale_factor=2)
    tensor([[[[1., 1., 2., 2.],
              [1., 1., 2., 2.]]]]))",
    .module = "nn",
    .rule = structured_exact(resampled_shape<Filter::nearest, 2>),
    .cpu = resampled_values<Filter::nearest, 2>,
    .npu = {"UpsampleNearest2dV2(self, output_size, scales_h:float?-1, scales_w:float?-1)"},
    .autocast = Autocast::fp32,
    .grad = {wrt("self",
                 [](Grad g, In<"output_size", IntList> size, MetaOf<"self"> self, In<"scales_h", std::optional<double>> h,
                    In<"scales_w", std::optional<double>> w) { return op<"upsample_nearest2d_backward">(g, *size, self.sizes, *h, *w); })},
    .overloads = {overload("vec", {.forms = function,
                                   .composite =
                                       [](const Tensor& input, std::optional<IntList> output_size, std::optional<List<double>> scales) {
                                         return op<"upsample_nearest2d">(input, resolve_sizes(input, output_size, scales),
                                                                         scale_at(scales, 0), scale_at(scales, 1));
                                       }})},
});

MT_OP(OpDef{
    .schema = {"upsample_nearest2d_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, float? "
               "scales_h=None, float? scales_w=None) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``upsample_nearest2d``: spreads each element's over the input elements.",
    .rule = structured_exact(resample_backward_shape<Filter::nearest, 2>),
    .cpu = resample_backward_values<Filter::nearest, 2>,
    .npu = {"UpsampleNearest2dBackward(grad_output, output_size, input_size, scales_h?, scales_w?)"},
    .grad = {wrt("grad_output", [](Grad g, In<"output_size", IntList> size, In<"scales_h", std::optional<double>> h,
                                   In<"scales_w", std::optional<double>> w) { return op<"upsample_nearest2d">(g, *size, *h, *w); })},
});

}  // namespace
}  // namespace mt
