// mul: the product of two tensors.
#include "rules/form/algebra.h"
#include "rules/pointwise/narrow_dtypes.h"
#include "rules/pointwise/pointwise_rows.h"
#include "rules/sparse/sparse_compressed_math.h"
#include "rules/sparse/sparse_pointwise.h"

namespace mt {
namespace {

constexpr auto product_of = [](auto a, auto b) {
  if constexpr (std::is_same_v<decltype(a), bool>)
    return a && b;
  else
    return a * b;
};

MT_OP(OpDef{
    .schema = {"mul.Tensor(Tensor self, Tensor other) -> Tensor", "mul.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes `self` * `other`, element by element.

The tensors broadcast and their dtypes are promoted. Bool tensors multiply as a logical and.
Integer overflow wraps around. The gradients are `other` and `self`, conjugated for complex
tensors.

Args:
    self (Tensor): first factor; any dtype.
    other (Tensor or number): second factor.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> torch.mul(torch.tensor([1.0, 2.0, 3.0]), 10)
    tensor([10., 20., 30.])
    >>> torch.mul(torch.tensor([[1], [2]]), torch.tensor([1, 2, 3]))
    tensor([[1, 2, 3],
            [2, 4, 6]]))",
    .aliases = "multiply __mul__ __rmul__",
    .inplace_aliases = "__imul__",
    .traits = MT_OP_NUMBERS_AS_TENSORS,
    .rule = pointwise(scaling),
    .cpu = with_rows_of_either<product_of>(
        with_halves<product_of, 2>(elementwise<product_of, 2, dtypes::all | dtypes::barebones_unsigned | dtypes::complex_half>("mul_cpu"))),
    .npu = {"Mul", "Muls"},
    .sparse = [](const Call& c) -> Tensor { return sparse_product(c); },
    .compressed = [](const Call& c) -> Tensor { return compressed_product(c, detail::tensor_of(c.args[0]), detail::tensor_of(c.args[1])); },
    .grad = {wrt("self", [](Grad g, In<"other"> b) { return g * conj(b); }),
             wrt("other", [](Grad g, In<"self"> a) { return g * conj(a); })},
    .overloads = {overload(
        "Scalar", {.forms = function | method | inplace, .grad_name = "MulBackward1", .out_policy = OutPolicy{.takes_strides = true}})},
});

}  // namespace
}  // namespace mt
