// group_norm: groups of channels normalised.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enabled=True) -> Tensor"},
    .forms = function,
    .doc = "Normalises each of `num_groups` groups of channels of (N, C, ...), then scales and shifts each channel.",
    .composite = [](const Tensor& input, int64_t groups, const Tensor& weight, const Tensor& bias, double eps, bool) -> Tensor {
      check(input.dim() >= 2, "Expected at least 2 dimensions for input tensor but received {}", input.dim());
      const int64_t n = input.size(0), c = input.size(1);
      check(groups > 0, "Expected num groups to be greater than 0, got {}", groups);
      check(c % groups == 0, "Expected number of channels in input to be divisible by num_groups, but got input of shape {} and num_groups={}", input.sizes(), groups);
      check(!weight.defined() || (weight.dim() == 1 && weight.numel() == c), "Expected weight to be a vector of size equal to the number of channels in input, but got weight of shape {} and input of shape {}",
            weight.defined() ? weight.sizes() : IntList(), input.sizes());
      check(!bias.defined() || (bias.dim() == 1 && bias.numel() == c), "Expected bias to be a vector of size equal to the number of channels in input, but got bias of shape {} and input of shape {}",
            bias.defined() ? bias.sizes() : IntList(), input.sizes());
      if (input.numel() == 0) return op<"clone">(input);
      Tensor rows = op<"reshape">(input, IntList{n * groups, input.numel() / (n * groups)});
      Tensor y = op<"view">(op<"native_layer_norm", Tensors<3>>(rows, IntList{rows.size(1)}, nullptr, nullptr, eps)[0], input.sizes());
      Dims shape(input.dim(), 1);
      shape[1] = c;
      if (weight.defined()) y = y * op<"view">(weight, shape);
      if (bias.defined()) y = y + op<"view">(bias, shape);
      return y;
    },
    .autocast = Autocast::fp32,
});

}  // namespace
}  // namespace mt
