// _convolution_double_backward: the gradients of convolution_backward.
#include "rules/form/algebra.h"

namespace mt {
namespace {

// Second-order gradients: convolution_backward is linear in each of its inputs, so its derivatives are convolutions and gradients of
// convolutions.
constexpr auto compute_convolution_double_backward =
    [](const Tensor& ggx, const Tensor& ggw, const Tensor& ggb, const Tensor& g, const Tensor& weight, const Tensor& input, IntList stride,
       IntList padding, IntList dilation, bool transposed, IntList output_padding, int64_t groups, List<uint8_t> wanted) -> Tensors<3> {
  auto convolve = [&](const Tensor& x, const Tensor& w) {
    return op<"convolution">(x, w, Tensor(), stride, padding, dilation, transposed, output_padding, groups);
  };
  auto backward = [&](const Tensor& x, const Tensor& w, int which) {
    const uint8_t mask[] = {which == 0, which == 1, 0};
    return op<"convolution_backward", Tensors<3>>(g, x, w, nullptr, stride, padding, dilation, transposed, output_padding, groups,
                                                  list_value(MT_TAG_BOOLS, mask, 3))[which];
  };
  Tensors<3> out;
  if (wanted[0]) {
    if (ggx.defined()) out[0] = convolve(ggx, weight);
    if (ggw.defined()) out[0] = sum_of_defined(out[0], convolve(input, ggw));
    if (ggb.defined()) {
      Dims shape(g.dim(), 1);
      shape[1] = ggb.size(0);
      out[0] = sum_of_defined(out[0], op<"expand">(op<"view">(ggb, shape), g.sizes()));
    }
  }
  if (wanted[1] && ggw.defined()) out[1] = backward(input, ggw, 0);
  if (wanted[2] && ggx.defined()) out[2] = backward(ggx, weight, 1);
  return out;
};

MT_OP(OpDef{
    .schema = {"_convolution_double_backward(Tensor? ggI, Tensor? ggW, Tensor? ggb, Tensor gO, Tensor weight, Tensor "
               "self, SymInt[] stride, SymInt[] "
               "padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool[3] "
               "output_mask) -> (Tensor, Tensor, Tensor)"},
    .doc = "Computes the gradients of ``convolution_backward`` for its gradient, input and weight.",
    .composite = compute_convolution_double_backward,
});

}  // namespace
}  // namespace mt
