// upsample_linear1d: resampling a row by linear interpolation; with its backward.
#include "rules/resample.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema =
        {"upsample_linear1d(Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None) -> Tensor",
         "upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> "
         "Tensor"},
    .forms = function | out,
    .doc = "Resamples (N, C, ...) linearly in one dimension.",
    .module = "nn",
    .rule = structured(resampled_shape<Filter::linear, 1>),
    .cpu = resampled_values<Filter::linear, 1>,
    .npu = {"UpsampleLinear1d(self, output_size, align_corners, scales?)"},
    .autocast = Autocast::fp32,
    .grad = {wrt("self",
                 [](Grad g, In<"output_size", IntList> size, MetaOf<"self"> self, In<"align_corners", bool> align,
                    In<"scales", std::optional<double>> s) {
                   return op<"upsample_linear1d_backward">(g, *size, self.sizes, *align, *s);
                 })},
    .overloads = {overload("vec", {.forms = function,
                                   .composite =
                                       [](const Tensor& input, std::optional<IntList> output_size, bool align_corners,
                                          std::optional<List<double>> scales) {
                                         return op<"upsample_linear1d">(input,
                                                                        resampled_sizes(input, output_size, scales),
                                                                        align_corners, scale_at(scales, 0));
                                       }})},
});

MT_OP(OpDef{
    .schema = {"upsample_linear1d_backward(Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, bool "
               "align_corners, float? scales=None) -> Tensor"},
    .forms = internal,
    .doc = "Each output element's gradient, spread over the input elements that made it.",
    .rule = structured(resample_backward_shape<Filter::linear, 1>),
    .cpu = resample_backward_values<Filter::linear, 1>,
    .npu = {"UpsampleLinear1dBackward(grad_output, output_size, input_size, align_corners, scales?)"},
    .grad = {wrt("grad_output",
                 [](Grad g, In<"output_size", IntList> size, In<"align_corners", bool> align,
                    In<"scales", std::optional<double>> s) { return op<"upsample_linear1d">(g, *size, *align, *s); })},
});

}  // namespace
}  // namespace mt
