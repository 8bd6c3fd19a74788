// upsample_nearest3d: nearest-neighbour resampling of a volume; with its backward.
#include "rules/form/exact_out.h"
#include "rules/resample/resample.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"upsample_nearest3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, "
               "float? scales_w=None) -> Tensor",
               "upsample_nearest3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor"},
    .forms = function | out,
    .doc = R"(Resamples volumes by repeating or leaving out elements.

Output element i is input element ``floor(i * in / out)``. ``torch.nn.functional.interpolate`` in
mode ``"nearest"`` calls it.

Args:
    self (Tensor): shape ``(N, C, D, H, W)``; ``input`` in the form with `scale_factors`.
    input (Tensor): shape ``(N, C, D, H, W)``.
    output_size (tuple of int): the wanted sizes of the last three dimensions.
    scales_d, scales_h, scales_w (float, optional): out / in of a dimension, in place of the ratio
        of the sizes.
    scale_factors (tuple of float, optional): instead of `output_size`, out / in of each dimension;
        sizes are rounded down.

Returns:
    Tensor: shape of `self` with the wanted sizes at the end.

Raises:
    RuntimeError: when a size is not positive or the input has another number of dimensions.

Example:
    >>> F.interpolate(torch.ones(1, 1, 2, 2, 2), scale_factor=2).shape
    torch.Size([1, 1, 4, 4, 4]))",
    .module = "nn",
    .rule = structured_exact(resampled_shape<Filter::nearest, 3>),
    .cpu = resampled_values<Filter::nearest, 3>,
    .npu = {"UpsampleNearest3d(self, output_size, scales_d?, scales_h?, scales_w?)"},
    .autocast = Autocast::fp32,
    .grad = {wrt("self",
                 [](Grad g, In<"output_size", IntList> size, MetaOf<"self"> self, In<"scales_d", std::optional<double>> d,
                    In<"scales_h", std::optional<double>> h, In<"scales_w", std::optional<double>> w) {
                   return op<"upsample_nearest3d_backward">(g, *size, self.sizes, *d, *h, *w);
                 })},
    .overloads = {overload("vec", {.forms = function,
                                   .composite =
                                       [](const Tensor& input, std::optional<IntList> output_size, std::optional<List<double>> scales) {
                                         return op<"upsample_nearest3d">(input, resolve_sizes(input, output_size, scales),
                                                                         scale_at(scales, 0), scale_at(scales, 1), scale_at(scales, 2));
                                       }})},
});

MT_OP(OpDef{
    .schema = {"upsample_nearest3d_backward(Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, float? "
               "scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``upsample_nearest3d``: spreads each element's over the input elements.",
    .rule = structured_exact(resample_backward_shape<Filter::nearest, 3>),
    .cpu = resample_backward_values<Filter::nearest, 3>,
    .npu = {"UpsampleNearest3dBackward(grad_output, output_size, input_size, scales_d?, scales_h?, scales_w?)"},
    .grad = {wrt("grad_output", [](Grad g, In<"output_size", IntList> size, In<"scales_d", std::optional<double>> d,
                                   In<"scales_h", std::optional<double>> h,
                                   In<"scales_w", std::optional<double>> w) { return op<"upsample_nearest3d">(g, *size, *d, *h, *w); })},
});

}  // namespace
}  // namespace mt
