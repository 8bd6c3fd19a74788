// _upsample_nearest_exact2d: resamples an image by the elements with the nearest centres; with its backward.
#include "rules/form/exact_out.h"
#include "rules/resample/resample.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_upsample_nearest_exact2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? "
               "scales_w=None) -> Tensor",
               "_upsample_nearest_exact2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor"},
    .forms = function | out,
    .doc = R"(Resamples images by the element whose centre is nearest.

Input index ``floor((i + 0.5) * in / out)``; ``torch.nn.functional.interpolate`` in mode
``"nearest-exact"`` calls it.)",
    .module = "nn",
    .rule = structured_exact(resampled_shape<Filter::nearest_exact, 2>),
    .cpu = resampled_values<Filter::nearest_exact, 2>,
    .npu = {"UpsampleNearestExact2d(self, output_size, scales_h?, scales_w?)"},
    .autocast = Autocast::fp32,
    .grad = {wrt("self",
                 [](Grad g, In<"output_size", IntList> size, MetaOf<"self"> self, In<"scales_h", std::optional<double>> h,
                    In<"scales_w", std::optional<double>> w) {
                   return op<"_upsample_nearest_exact2d_backward">(g, *size, self.sizes, *h, *w);
                 })},
    .overloads = {overload("vec", {.forms = function,
                                   .composite =
                                       [](const Tensor& input, std::optional<IntList> output_size, std::optional<List<double>> scales) {
                                         return op<"_upsample_nearest_exact2d">(input, resolve_sizes(input, output_size, scales),
                                                                                scale_at(scales, 0), scale_at(scales, 1));
                                       }})},
});

MT_OP(OpDef{
    .schema = {"_upsample_nearest_exact2d_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, "
               "float? scales_h=None, float? scales_w=None) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``_upsample_nearest_exact2d``: adds it up at the input elements.",
    .rule = structured_exact(resample_backward_shape<Filter::nearest_exact, 2>),
    .cpu = resample_backward_values<Filter::nearest_exact, 2>,
    .npu = {"UpsampleNearestExact2dBackward(grad_output, output_size, input_size, scales_h?, scales_w?)"},
    .grad = {wrt("grad_output", [](Grad g, In<"output_size", IntList> size, In<"scales_h", std::optional<double>> h,
                                   In<"scales_w", std::optional<double>> w) { return op<"_upsample_nearest_exact2d">(g, *size, *h, *w); })},
});

}  // namespace
}  // namespace mt
