// prelu: x where positive, a learned multiple elsewhere: one weight, or one per channel.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"prelu(Tensor self, Tensor weight) -> Tensor"},
    .forms = function | method,
    .doc = "x where positive, a learned multiple elsewhere: one weight, or one per channel.",
    .composite = [](const Tensor& self, const Tensor& weight) -> Tensor {
      check(self.dtype() == weight.dtype(), "prelu: Type promoting not supported. Got {} and {}", self.dtype(), weight.dtype());
      check(weight.dim() <= 1, "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {}", weight.dim());
      Tensor w = weight;
      if (weight.numel() == 1) {
        w = op<"view">(weight, Dims(self.dim(), 1));
      } else {
        check(self.dim() > 0, "Not allow zero-dim input tensor.");
        const int64_t channels = self.dim() >= 2 ? self.size(1) : 1;
        check(channels == weight.numel(), "Mismatch of parameter numbers and input channel size. Found parameter numbers = {} and channel size = {}.", weight.numel(), channels);
        Dims shape(self.dim(), 1);
        shape[self.dim() >= 2 ? 1 : 0] = weight.numel();
        w = op<"view">(weight, shape);
      }
      return op<"_prelu_kernel">(self, w);
    },
    .autocast = Autocast::lower_precision,
});

constexpr auto rectified = [](auto x, auto w) { return x > 0 ? x : w * x; };

MT_OP(OpDef{
    .schema = {"_prelu_kernel(Tensor self, Tensor weight) -> Tensor"},
    .forms = function,
    .doc = "x where positive, weight * x elsewhere.",
    .rule = pointwise(promoting),
    .cpu = elementwise<rectified, 2, dtypes::floating>("prelu_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"weight"> w) { return op<"where">(op<"gt">(x, 0), g, g * w); }),
             wrt("weight", [](Grad g, In<"self"> x) { return op<"where">(op<"gt">(x, 0), 0, g * x); })},
});

}  // namespace
}  // namespace mt
