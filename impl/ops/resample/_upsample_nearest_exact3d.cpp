// _upsample_nearest_exact3d: resamples a volume by the elements with the nearest centres; with its backward.
#include "rules/form/exact_out.h"
#include "rules/resample/resample.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_upsample_nearest_exact3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? "
               "scales_h=None, float? scales_w=None) -> Tensor",
               "_upsample_nearest_exact3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor"},
    .forms = function | out,
    .doc = R"(Resamples volumes by the element whose centre is nearest.

Input index ``floor((i + 0.5) * in / out)``; ``torch.nn.functional.interpolate`` in mode
``"nearest-exact"`` calls it.)",
    .module = "nn",
    .rule = structured_exact(resampled_shape<Filter::nearest_exact, 3>),
    .cpu = resampled_values<Filter::nearest_exact, 3>,
    .npu = {"UpsampleNearestExact3d(self, output_size, scales_d?, scales_h?, scales_w?)"},
    .autocast = Autocast::fp32,
    .grad = {wrt("self",
                 [](Grad g, In<"output_size", IntList> size, MetaOf<"self"> self, In<"scales_d", std::optional<double>> d,
                    In<"scales_h", std::optional<double>> h, In<"scales_w", std::optional<double>> w) {
                   return op<"_upsample_nearest_exact3d_backward">(g, *size, self.sizes, *d, *h, *w);
                 })},
    .overloads = {overload("vec", {.forms = function,
                                   .composite =
                                       [](const Tensor& input, std::optional<IntList> output_size, std::optional<List<double>> scales) {
                                         return op<"_upsample_nearest_exact3d">(input, resolve_sizes(input, output_size, scales),
                                                                                scale_at(scales, 0), scale_at(scales, 1),
                                                                                scale_at(scales, 2));
                                       }})},
});

MT_OP(OpDef{
    .schema = {"_upsample_nearest_exact3d_backward(Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, "
               "float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``_upsample_nearest_exact3d``: adds it up at the input elements.",
    .rule = structured_exact(resample_backward_shape<Filter::nearest_exact, 3>),
    .cpu = resample_backward_values<Filter::nearest_exact, 3>,
    .npu = {"UpsampleNearestExact3dBackward(grad_output, output_size, input_size, scales_d?, scales_h?, scales_w?)"},
    .grad = {wrt("grad_output",
                 [](Grad g, In<"output_size", IntList> size, In<"scales_d", std::optional<double>> d,
                    In<"scales_h", std::optional<double>> h,
                    In<"scales_w", std::optional<double>> w) { return op<"_upsample_nearest_exact3d">(g, *size, *d, *h, *w); })},
});

}  // namespace
}  // namespace mt
