// upsample_bilinear2d: linear resampling of an image; with its backward.
#include "rules/form/exact_out.h"
#include "rules/resample/resample.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"upsample_bilinear2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, "
               "float? scales_w=None) -> Tensor",
               "upsample_bilinear2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? "
               "scale_factors) -> Tensor"},
    .forms = function | out,
    .doc = R"(Resamples images by linear interpolation along both dimensions.

Output element i is interpolated at the input position ``(i + 0.5) * in / out - 0.5`` (held at the
edges), with `align_corners` at ``i * (in - 1) / (out - 1)``, so that the outermost centres stay.
``torch.nn.functional.interpolate`` in mode ``"bilinear"`` calls it.

Args:
    self (Tensor): shape ``(N, C, H, W)``; ``input`` in the form with `scale_factors`.
    input (Tensor): shape ``(N, C, H, W)``.
    output_size (tuple of int): the wanted sizes of the last two dimensions.
    align_corners (bool): whether the centres of the outermost elements stay in place.
    scales_h, scales_w (float, optional): out / in of a dimension, in place of the ratio of the
        sizes.
    scale_factors (tuple of float, optional): instead of `output_size`, out / in of each dimension;
        sizes are rounded down.

Returns:
    Tensor: shape of `self` with the wanted sizes at the end.

Raises:
    RuntimeError: when a size is not positive or the input has another number of dimensions.

Example:
    >>> F.interpolate(torch.tensor([[[[0.0, 4.0]]]]), size=(1, 4), mode="bilinear")
    tensor([[[[0., 1., 3., 4.]]]]))",
    .module = "nn",
    .rule = structured_exact(resampled_shape<Filter::linear, 2>),
    .cpu = resampled_values<Filter::linear, 2>,
    .npu = {"UpsampleBilinear2d(self, output_size, align_corners, scales_h?, scales_w?)"},
    .autocast = Autocast::fp32,
    .grad = {wrt("self",
                 [](Grad g, In<"output_size", IntList> size, MetaOf<"self"> self, In<"align_corners", bool> align,
                    In<"scales_h", std::optional<double>> h, In<"scales_w", std::optional<double>> w) {
                   return op<"upsample_bilinear2d_backward">(g, *size, self.sizes, *align, *h, *w);
                 })},
    .overloads = {overload("vec", {.forms = function,
                                   .composite =
                                       [](const Tensor& input, std::optional<IntList> output_size, bool align_corners,
                                          std::optional<List<double>> scales) {
                                         return op<"upsample_bilinear2d">(input, resolve_sizes(input, output_size, scales), align_corners,
                                                                          scale_at(scales, 0), scale_at(scales, 1));
                                       }})},
});

MT_OP(OpDef{
    .schema = {"upsample_bilinear2d_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool "
               "align_corners, float? scales_h=None, float? scales_w=None) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``upsample_bilinear2d``: spreads each element's over the input elements.",
    .rule = structured_exact(resample_backward_shape<Filter::linear, 2>),
    .cpu = resample_backward_values<Filter::linear, 2>,
    .npu = {"UpsampleBilinear2dBackward(grad_output, output_size, input_size, align_corners, scales_h?, scales_w?)"},
    .grad = {wrt("grad_output",
                 [](Grad g, In<"output_size", IntList> size, In<"align_corners", bool> align, In<"scales_h", std::optional<double>> h,
                    In<"scales_w", std::optional<double>> w) { return op<"upsample_bilinear2d">(g, *size, *align, *h, *w); })},
});

}  // namespace
}  // namespace mt
