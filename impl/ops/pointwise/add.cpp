// add: the sum of two tensors, the second times `alpha`.
#include "rules/form/algebra.h"
#include "rules/pointwise/alpha.h"
#include "rules/pointwise/narrow_dtypes.h"
#include "rules/pointwise/pointwise_rows.h"
#include "rules/sparse/sparse_compressed_math.h"
#include "rules/sparse/sparse_pointwise.h"

namespace mt {
namespace {

constexpr auto sum_of = [](auto a, auto b) {
  if constexpr (std::is_same_v<decltype(a), bool>)
    return a || b;
  else
    return a + b;
};
constexpr auto scaled_sum_of = [](auto a, auto b, auto alpha) {
  if constexpr (std::is_same_v<decltype(a), bool>)
    return a || (alpha && b);
  else
    return a + alpha * b;
};

MT_OP(OpDef{
    .schema = {"add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
               "add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes `self` + `alpha` * `other`, element by element.

The tensors broadcast and their dtypes are promoted. Bool tensors add as a logical or. Integer
overflow wraps around.

Args:
    self (Tensor): first summand; any dtype.
    other (Tensor or number): second summand.
    alpha (number): factor of `other`. It has to be an integer when both summands are integers,
        and must not be complex unless the result is. Default: ``1``.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Raises:
    RuntimeError: when the shapes do not broadcast, or `alpha` does not fit the dtypes.

Example:
    >>> torch.add(torch.tensor([1, 2, 3]), 10)
    tensor([11, 12, 13])
    >>> torch.add(torch.tensor([[1.0], [2.0]]), torch.tensor([1.0, 2.0]), alpha=10)
    tensor([[11., 21.],
            [12., 22.]]))",
    .aliases = "__add__ __radd__",
    .inplace_aliases = "__iadd__",
    .deprecated_signatures = "add(Tensor input, Number alpha, Tensor other)",
    .traits = MT_OP_NUMBERS_AS_TENSORS,
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose([](const Call& c) {
      static const PointwiseKernel sum = with_rows_of_either<sum_of>(
          with_halves<sum_of, 2>(elementwise<sum_of, 2, dtypes::all | dtypes::complex_half>("add_stub")));
      return adds_without_alpha_product(c)
                 ? &sum
                 : check_alpha_and_return(c, kernel_of<scaled_sum_of, 3, dtypes::all | dtypes::complex_half>("add_stub"));
    }),
    .npu = {"Add", "Adds"},
    .sparse = [](const Call& c) -> Tensor { return sparse_sum(c, Scalar::of_value(c.args[2])); },
    .compressed = [](const Call& c) -> Tensor {
      return compressed_sum(c, detail::tensor_of(c.args[0]), detail::tensor_of(c.args[1]), Scalar::of_value(c.args[2]));
    },
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }),
             wrt("other", [](Grad g, In<"alpha", Scalar> alpha) { return multiply_by_conj(g, alpha); })},
    .overloads = {overload("Scalar", {.grad_name = "AddBackward1", .out_policy = OutPolicy{.takes_strides = true}})},
});

}  // namespace
}  // namespace mt
