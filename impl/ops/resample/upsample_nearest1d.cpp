// upsample_nearest1d: nearest-neighbour resampling of a row; with its backward.
#include "rules/form/exact_out.h"
#include "rules/resample/resample.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"upsample_nearest1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor",
               "upsample_nearest1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor"},
    .forms = function | out,
    .doc = R"(Resamples rows by repeating or leaving out elements.

Output element i is input element ``floor(i * in / out)``. ``torch.nn.functional.interpolate`` in
mode ``"nearest"`` calls it.

Args:
    self (Tensor): shape ``(N, C, L)``; ``input`` in the form with `scale_factors`.
    input (Tensor): shape ``(N, C, L)``.
    output_size (tuple of int): the wanted sizes.
    scales (float, optional): out / in of a dimension, in place of the ratio of the sizes.
    scale_factors (tuple of float, optional): instead of `output_size`, out / in of each dimension;
        sizes are rounded down.

Returns:
    Tensor: shape of `self` with the wanted sizes at the end.

Raises:
    RuntimeError: when a size is not positive or the input has another number of dimensions.

Example:
    >>> F.interpolate(torch.tensor([[[1.0, 2.0]]]), size=5)
    tensor([[[1., 1., 1., 2., 2.]]]))",
    .module = "nn",
    .rule = structured_exact(resampled_shape<Filter::nearest, 1>),
    .cpu = resampled_values<Filter::nearest, 1>,
    .npu = {"UpsampleNearest1dV2(self, output_size, scales:float?-1)"},
    .autocast = Autocast::fp32,
    .grad = {wrt("self",
                 [](Grad g, In<"output_size", IntList> size, MetaOf<"self"> self, In<"scales", std::optional<double>> s) {
                   return op<"upsample_nearest1d_backward">(g, *size, self.sizes, *s);
                 })},
    .overloads = {overload("vec", {.forms = function,
                                   .composite =
                                       [](const Tensor& input, std::optional<IntList> output_size, std::optional<List<double>> scales) {
                                         return op<"upsample_nearest1d">(input, resolve_sizes(input, output_size, scales),
                                                                         scale_at(scales, 0));
                                       }})},
});

MT_OP(OpDef{
    .schema = {"upsample_nearest1d_backward(Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, float? "
               "scales=None) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``upsample_nearest1d``: spreads each element's over the input elements.",
    .rule = structured_exact(resample_backward_shape<Filter::nearest, 1>),
    .cpu = resample_backward_values<Filter::nearest, 1>,
    .npu = {"UpsampleNearest1dBackward(grad_output, output_size, input_size, scales?)"},
    .grad = {wrt("grad_output", [](Grad g, In<"output_size", IntList> size,
                                   In<"scales", std::optional<double>> s) { return op<"upsample_nearest1d">(g, *size, *s); })},
});

}  // namespace
}  // namespace mt
