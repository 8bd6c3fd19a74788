// _upsample_bicubic2d_aa: antialiased cubic resampling of an image; with its backward.
#include "rules/form/exact_out.h"
#include "rules/resample/resample.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_upsample_bicubic2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, "
               "float? scales_w=None) -> Tensor",
               "_upsample_bicubic2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? "
               "scale_factors) -> Tensor"},
    .forms = function | out,
    .doc = R"(Resamples images by a cubic filter as wide as an output element, without aliasing.

``torch.nn.functional.interpolate`` with ``antialias=True`` calls it.)",
    .module = "nn",
    .rule = structured_exact(resampled_shape<Filter::cubic_aa, 2>),
    .cpu = resampled_values<Filter::cubic_aa, 2>,
    .npu = {"UpsampleBicubic2dAA(self, output_size, align_corners, scales_h?, scales_w?)"},
    .autocast = Autocast::fp32,
    .grad = {wrt("self",
                 [](Grad g, In<"output_size", IntList> size, MetaOf<"self"> self, In<"align_corners", bool> align,
                    In<"scales_h", std::optional<double>> h, In<"scales_w", std::optional<double>> w) {
                   return op<"_upsample_bicubic2d_aa_backward">(g, *size, self.sizes, *align, *h, *w);
                 })},
    .overloads = {overload("vec", {.forms = function,
                                   .composite =
                                       [](const Tensor& input, std::optional<IntList> output_size, bool align_corners,
                                          std::optional<List<double>> scales) {
                                         return op<"_upsample_bicubic2d_aa">(input, resolve_sizes(input, output_size, scales),
                                                                             align_corners, scale_at(scales, 0), scale_at(scales, 1));
                                       }})},
});

MT_OP(OpDef{
    .schema = {"_upsample_bicubic2d_aa_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool "
               "align_corners, float? scales_h=None, float? scales_w=None) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``_upsample_bicubic2d_aa``.",
    .rule = structured_exact(resample_backward_shape<Filter::cubic_aa, 2>),
    .cpu = resample_backward_values<Filter::cubic_aa, 2>,
    .npu = {"UpsampleBicubic2dAAGrad(grad_output, output_size, input_size, align_corners, scales_h?, scales_w?)"},
    .grad = {wrt("grad_output",
                 [](Grad g, In<"output_size", IntList> size, In<"align_corners", bool> align, In<"scales_h", std::optional<double>> h,
                    In<"scales_w", std::optional<double>> w) { return op<"_upsample_bicubic2d_aa">(g, *size, *align, *h, *w); })},
});

}  // namespace
}  // namespace mt
