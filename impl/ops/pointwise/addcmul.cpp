// addcmul: `self` + value * `tensor1` * `tensor2`.
#include "rules/pointwise/alpha.h"
#include "rules/pointwise/narrow_dtypes.h"
#include "rules/pointwise/pointwise.h"

namespace mt {
namespace {

constexpr auto add_unscaled_product = [](auto x, auto a, auto b) { return x + a * b; };
constexpr auto add_product = [](auto x, auto a, auto b, auto value) { return x + value * a * b; };

MT_OP(OpDef{
    .schema = {"addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes `self` + `value` * `tensor1` * `tensor2`, element by element.

The tensors broadcast and their dtypes are promoted.

Args:
    self (Tensor): the summand; not bool.
    tensor1, tensor2 (Tensor): the factors.
    value (number): a further factor of the product; an integer when all tensors are integers.
        Default: ``1``.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> a, b = torch.tensor([2.0, 3.0]), torch.tensor([4.0, 5.0])
    >>> torch.addcmul(torch.tensor([1.0, 1.0]), a, b, value=10)
    tensor([ 81., 151.]))",
    .deprecated_signatures = "addcmul(Tensor input, Number value, Tensor tensor1, Tensor tensor2)",
    .rule = pointwise(promoting),
    .cpu = choose([](const Call& c) {
      static const PointwiseKernel of_halves = with_halves<add_unscaled_product, 3>(
          elementwise<add_unscaled_product, 3, dtypes::half>("addcmul"));
      return are_halves_times_one(c) ? &of_halves : kernel_of<add_product, 4, dtypes::numbers | dtypes::complex_half>("addcmul_cpu_out");
    }),
    .npu = {"Addcmul"},
    .autocast = on_npu(Autocast::promote),
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }),
             wrt("tensor1", [](Grad g, In<"tensor2"> b, In<"value", Scalar> v) { return multiply_by_conj(g * conj(b), v); }),
             wrt("tensor2", [](Grad g, In<"tensor1"> a, In<"value", Scalar> v) { return multiply_by_conj(g * conj(a), v); })},
});

}  // namespace
}  // namespace mt
