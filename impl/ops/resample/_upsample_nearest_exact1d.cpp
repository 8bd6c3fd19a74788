// _upsample_nearest_exact1d: resamples a row by the elements with the nearest centres; with its backward.
#include "rules/form/exact_out.h"
#include "rules/resample/resample.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_upsample_nearest_exact1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor",
               "_upsample_nearest_exact1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor"},
    .forms = function | out,
    .doc = R"(Resamples rows by the element whose centre is nearest.

Input index ``floor((i + 0.5) * in / out)``; ``torch.nn.functional.interpolate`` in mode
``"nearest-exact"`` calls it.)",
    .module = "nn",
    .rule = structured_exact(resampled_shape<Filter::nearest_exact, 1>),
    .cpu = resampled_values<Filter::nearest_exact, 1>,
    .npu = {"UpsampleNearestExact1d(self, output_size, scales?)"},
    .autocast = Autocast::fp32,
    .grad = {wrt("self",
                 [](Grad g, In<"output_size", IntList> size, MetaOf<"self"> self, In<"scales", std::optional<double>> s) {
                   return op<"_upsample_nearest_exact1d_backward">(g, *size, self.sizes, *s);
                 })},
    .overloads = {overload("vec", {.forms = function,
                                   .composite =
                                       [](const Tensor& input, std::optional<IntList> output_size, std::optional<List<double>> scales) {
                                         return op<"_upsample_nearest_exact1d">(input, resolve_sizes(input, output_size, scales),
                                                                                scale_at(scales, 0));
                                       }})},
});

MT_OP(OpDef{
    .schema = {"_upsample_nearest_exact1d_backward(Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, "
               "float? scales=None) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``_upsample_nearest_exact1d``: adds it up at the input elements.",
    .rule = structured_exact(resample_backward_shape<Filter::nearest_exact, 1>),
    .cpu = resample_backward_values<Filter::nearest_exact, 1>,
    .npu = {"UpsampleNearestExact1dBackward(grad_output, output_size, input_size, scales?)"},
    .grad = {wrt("grad_output", [](Grad g, In<"output_size", IntList> size,
                                   In<"scales", std::optional<double>> s) { return op<"_upsample_nearest_exact1d">(g, *size, *s); })},
});

}  // namespace
}  // namespace mt
