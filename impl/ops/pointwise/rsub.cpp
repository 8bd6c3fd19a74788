// rsub: `other` minus `alpha` times `self`.
#include "core/messages.h"
#include "rules/pointwise/alpha.h"
#include "rules/pointwise/narrow_dtypes.h"
#include "rules/pointwise/pointwise_layout.h"

namespace mt {
namespace {

constexpr auto rsub_of = [](auto a, auto b, auto alpha) { return b - alpha * a; };
// The variant for a tensor of half type and two numbers, which torch rounds to that half type first.
template <class H>
constexpr auto rsub_of_rounded = [](float a, float b, float alpha) { return float(H(b)) - float(H(alpha)) * a; };

MT_OP(OpDef{
    .schema = {"rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
               "rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"},
    .forms = function,
    .doc = R"(Computes `other` - `alpha` * `self`, element by element.

It is `torch.sub` with the operands exchanged. The tensors broadcast and their dtypes are
promoted.

Args:
    self (Tensor): what to subtract.
    other (Tensor or number): what to subtract from.
    alpha (number): factor of `self`; an integer when both are integers. Default: ``1``.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Raises:
    RuntimeError: when either is bool.

Example:
    >>> torch.rsub(torch.tensor([1.0, 2.0]), 10, alpha=2)
    tensor([8., 6.]))",
    .rule = pointwise_with_layout(ResultLayout::of_swapped, promoting_with_scalars),
    .cpu = choose([](const Call& c) {
      check(detail::tensor_of(c.args[0]).dtype() != Dtype::boolean && detail::tensor_of(c.args[1]).dtype() != Dtype::boolean,
            messages::subtraction_of_bools);
      const Tensor operands[] = {detail::tensor_of(c.args[0]), detail::tensor_of(c.args[1])};
      switch (result_type(operands, 2)) {
        case Dtype::bfloat16: return check_alpha_and_return(c, kernel_of<rsub_of_rounded<BFloat16>, 3, dtypes::half>("add_stub"));
        case Dtype::float16: return check_alpha_and_return(c, kernel_of<rsub_of_rounded<Half>, 3, dtypes::half>("add_stub"));
        default: return check_alpha_and_return(c, kernel_of<rsub_of, 3, dtypes::numbers | dtypes::complex_half>("add_stub"));
      }
    }),
    .npu = {"Rsub", "Rsubs"},
    .grad = {wrt("self", [](Grad g, In<"alpha", Scalar> alpha) { return -multiply_by_conj(g, alpha); }),
             wrt("other", [](Grad g) { return Tensor(g); })},
    .out_policy = OutPolicy{.takes_strides = true},
    .overloads = {overload("Scalar", {.sparse = [](const Tensor& self, const Scalar& other, const Scalar& alpha) -> Tensor {
                                        return op<"sub.Tensor">(wrapped_number(other), self, alpha);
                                      },
                                      .grad_name = "RsubBackward1"})},
});

}  // namespace
}  // namespace mt
