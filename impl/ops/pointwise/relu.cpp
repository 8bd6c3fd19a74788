// relu: the larger of x and zero.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto relu_of = [](auto x) { return x < 0 ? decltype(x)(0) : x; };

MT_OP(OpDef{
    .schema = {"relu(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function,
    .doc = R"(Computes max(x, 0) for each element.

NaN stays NaN. Bool and complex tensors are refused. The gradient is 1 for positive elements,
else 0, at 0 too.

Args:
    self (Tensor): any shape; floating or integer.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> torch.relu(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([0., 0., 2.]))",
    .rule = pointwise(promoting),
    .cpu = choose([](const Call& c) -> const PointwiseKernel* {
      const Dtype dtype = Unbox<Tensor>::from(c.args[0]).dtype();
      check(dtype != Dtype::boolean, "Boolean inputs not supported for relu");
      check(!is_complex(dtype), ErrorKind::not_implemented, messages::clamp_of_complex);
      return kernel_of<relu_of, 1, dtypes::real>("clamp_min_scalar_cpu");
    }),
    .npu = {"Relu"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return op<"threshold_backward">(g, y, 0); })},
    .out_policy = OutPolicy{.takes_strides = true},
});

}  // namespace
}  // namespace mt
