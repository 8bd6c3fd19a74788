// upsample_linear1d: linear resampling of a row; with its backward.
#include "rules/form/exact_out.h"
#include "rules/resample/resample.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"upsample_linear1d(Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None) -> Tensor",
               "upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> "
               "Tensor"},
    .forms = function | out,
    .doc = R"(Resamples rows by linear interpolation.

Output element i is interpolated at the input position ``(i + 0.5) * in / out - 0.5`` (held at the
edges), with `align_corners` at ``i * (in - 1) / (out - 1)``, so that the outermost centres stay.
``torch.nn.functional.interpolate`` in mode ``"linear"`` calls it.

Args:
    self (Tensor): shape ``(N, C, L)``; ``input`` in the form with `scale_factors`.
    input (Tensor): shape ``(N, C, L)``.
    output_size (tuple of int): the wanted sizes.
    align_corners (bool): whether the centres of the outermost elements stay in place.
    scales (float, optional): out / in of a dimension, in place of the ratio of the sizes.
    scale_factors (tuple of float, optional): instead of `output_size`, out / in of each dimension;
        sizes are rounded down.

Returns:
    Tensor: shape of `self` with the wanted sizes at the end.

Raises:
    RuntimeError: when a size is not positive or the input has another number of dimensions.

Example:
    >>> x = torch.tensor([[[0.0, 4.0]]])
    >>> F.interpolate(x, size=4, mode="linear")
    tensor([[[0., 1., 3., 4.]]])
    >>> F.interpolate(x, size=5, mode="linear", align_corners=True)
    tensor([[[0., 1., 2., 3., 4.]]]))",
    .module = "nn",
    .rule = structured_exact(resampled_shape<Filter::linear, 1>),
    .cpu = resampled_values<Filter::linear, 1>,
    .npu = {"UpsampleLinear1d(self, output_size, align_corners, scales?)"},
    .autocast = Autocast::fp32,
    .grad = {wrt("self",
                 [](Grad g, In<"output_size", IntList> size, MetaOf<"self"> self, In<"align_corners", bool> align,
                    In<"scales", std::optional<double>> s) { return op<"upsample_linear1d_backward">(g, *size, self.sizes, *align, *s); })},
    .overloads = {overload("vec", {.forms = function,
                                   .composite =
                                       [](const Tensor& input, std::optional<IntList> output_size, bool align_corners,
                                          std::optional<List<double>> scales) {
                                         return op<"upsample_linear1d">(input, resolve_sizes(input, output_size, scales), align_corners,
                                                                        scale_at(scales, 0));
                                       }})},
});

MT_OP(OpDef{
    .schema = {"upsample_linear1d_backward(Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, bool "
               "align_corners, float? scales=None) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``upsample_linear1d``: spreads each element's over the input elements.",
    .rule = structured_exact(resample_backward_shape<Filter::linear, 1>),
    .cpu = resample_backward_values<Filter::linear, 1>,
    .npu = {"UpsampleLinear1dBackward(grad_output, output_size, input_size, align_corners, scales?)"},
    .grad = {wrt("grad_output", [](Grad g, In<"output_size", IntList> size, In<"align_corners", bool> align,
                                   In<"scales", std::optional<double>> s) { return op<"upsample_linear1d">(g, *size, *align, *s); })},
});

}  // namespace
}  // namespace mt
