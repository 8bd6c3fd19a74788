// addcdiv: `self` + value * `tensor1` / `tensor2`.
#include "rules/pointwise/alpha.h"
#include "rules/pointwise/pointwise.h"

namespace mt {
namespace {

constexpr auto add_unscaled_quotient = [](auto x, auto a, auto b) { return x + a / b; };
constexpr auto add_quotient = [](auto x, auto a, auto b, auto value) { return x + value * a / b; };

MT_OP(OpDef{
    .schema = {"addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes `self` + `value` * `tensor1` / `tensor2`, element by element.

The tensors broadcast and their dtypes are promoted. Division by zero follows IEEE 754. Two
integer tensors are not divided: convert one to a floating dtype first.

Args:
    self (Tensor): the summand.
    tensor1 (Tensor): the dividend.
    tensor2 (Tensor): the divisor.
    value (number): factor of the quotient. Default: ``1``.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Raises:
    RuntimeError: when `tensor1` and `tensor2` are both integer tensors.

Example:
    >>> a, b = torch.tensor([1.0, 3.0]), torch.tensor([2.0, 4.0])
    >>> torch.addcdiv(torch.tensor([1.0, 1.0]), a, b, value=2)
    tensor([2.0000, 2.5000]))",
    .deprecated_signatures = "addcdiv(Tensor input, Number value, Tensor tensor1, Tensor tensor2)",
    .rule = pointwise(promoting),
    .cpu = choose([](const Call& c) {
      check(!is_integral(Unbox<Tensor>::from(c.args[1]).dtype(), true) || !is_integral(Unbox<Tensor>::from(c.args[2]).dtype(), true),
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true division of "
            "tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * torch.trunc(tensor1 / "
            "tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future addcdiv "
            "behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes.");
      static const PointwiseKernel of_halves = with_halves<add_unscaled_quotient, 3>(
          elementwise<add_unscaled_quotient, 3, dtypes::half>("addcdiv"));
      return are_halves_times_one(c) ? &of_halves : kernel_of<add_quotient, 4, dtypes::floating_and_complex>("addcdiv_cpu_out");
    }),
    .npu = {"Addcdiv"},
    .autocast = on_npu(Autocast::promote),
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }),
             wrt("tensor1", [](Grad g, In<"tensor2"> b, In<"value", Scalar> v) { return multiply_by_conj(g / conj(b), v); }),
             wrt("tensor2", [](Grad g, In<"tensor1"> a, In<"tensor2"> b,
                               In<"value", Scalar> v) { return -multiply_by_conj(g * conj(a / (b * b)), v); })},
});

}  // namespace
}  // namespace mt
