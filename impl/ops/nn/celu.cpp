// celu, selu, prelu, glu: further rectifiers and gates.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"celu(Tensor self, Scalar alpha=1.0) -> Tensor"},
    .forms = function | inplace,
    .doc = "max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).",
    .composite = [](const Tensor& self, Scalar alpha) -> Tensor {
      check(alpha.to_double() != 0, "ZeroDivisionError: alpha cannot be 0 for CELU");
      return op<"elu">(self, alpha, 1.0, 1.0 / alpha.to_double());
    },
});
MT_OP(OpDef{
    .schema = {"selu(Tensor self) -> Tensor"},
    .forms = function | inplace,
    .doc = "elu scaled to keep mean and variance (Klambauer et al. 2017).",
    .composite = [](const Tensor& self) -> Tensor { return op<"elu">(self, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1.0); },
});
MT_OP(OpDef{
    .schema = {"prelu(Tensor self, Tensor weight) -> Tensor"},
    .forms = function | method,
    .doc = "x where positive, a learned multiple elsewhere: one weight, or one per channel.",
    .composite = [](const Tensor& self, const Tensor& weight) -> Tensor {
      check(self.dtype() == weight.dtype(), "prelu: Type promoting not supported. Got {} and {}", self.dtype(), weight.dtype());
      check(weight.dim() <= 1, "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {}", weight.dim());
      Tensor w = weight;
      if (weight.numel() != 1) {
        check(self.dim() > 0, "Not allow zero-dim input tensor.");
        const int64_t channels = self.dim() >= 2 ? self.size(1) : 1;
        check(channels == weight.numel(), "Mismatch of parameter numbers and input channel size. Found parameter numbers = {} and channel size = {}.", weight.numel(), channels);
        Dims shape(self.dim(), 1);
        shape[self.dim() >= 2 ? 1 : 0] = weight.numel();
        w = op<"view">(weight, shape);
      }
      return op<"_prelu_kernel">(self, w);
    },
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
MT_OP(OpDef{
    .schema = {"glu(Tensor self, int dim=-1) -> Tensor"},
    .forms = function | out,
    .doc = "The first half of `dim` times the sigmoid of the second.",
    .module = "nn",
    .composite = [](const Tensor& self, int64_t dim) -> Tensor {
      check(self.dim() > 0, "glu does not support 0-dimensional tensors");
      const int64_t d = wrap_dim(dim, self.dim()), n = self.size(d);
      check(n % 2 == 0, "Halving dimension must be even, but dimension {} is size {}", d, n);
      return op<"narrow">(self, d, 0, n / 2) * op<"sigmoid">(op<"narrow">(self, d, n / 2, n / 2));
    },
});

}  // namespace
}  // namespace mt
