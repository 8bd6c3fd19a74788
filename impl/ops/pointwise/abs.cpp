// abs: the absolute value.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/half_bits.h"
#include "rules/pointwise/narrow_dtypes.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto absolute = [](auto x) { return abs_(x); };
constexpr auto clear_sign = [](uint16_t x) { return uint16_t(x & ~half_sign); };

// The magnitude of complex numbers can be stored in any real `out`.
void refuse_converting_out_unless_complex(const Call& call) {
  const auto complex_at = [&](int i) { return is_complex(Unbox<Tensor>::from(call.args[i]).dtype()); };
  if (call.op.form == Form::out && complex_at(0) && !complex_at(1)) return;
  refuse_converting_out(call);
}

MT_OP(OpDef{
    .schema = {"abs(Tensor self) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the absolute value of each element, for complex tensors the modulus sqrt(re^2 + im^2).

NaN stays NaN. The smallest number of a signed integer dtype has no positive counterpart and
stays as it is. Bool tensors are refused. The gradient is sgn(x), which is 0 at x = 0.

Args:
    self (Tensor): any shape; floating, complex or integer.

Returns:
    Tensor: shape of `self`; its dtype, or the real dtype of the same precision for complex
        input.

Example:
    >>> torch.abs(torch.tensor([-1.5, 2.0, -0.0]))
    tensor([1.5000, 2.0000, 0.0000])
    >>> torch.abs(torch.tensor([3 + 4j]))
    tensor([5.]))",
    .aliases = "absolute __abs__",
    .rule = rule_after_check(refuse_converting_out_unless_complex, pointwise(promoting)),
    .cpu =
        with_half_bits<clear_sign, 1>(elementwise<absolute, 1, dtypes::numbers | dtypes::signed_float8 | dtypes::complex_half>("abs_cpu")),
    .npu = {"Abs"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * op<"sgn">(x); })},
});
constexpr auto take_abs_in_place = [](const Tensor& self) {
  check(!is_complex(self.dtype()), "In-place abs is not supported for complex tensors.");
  check_no_internal_overlap(self);
  BelowAutograd guard;
  if (!self.is_meta()) copy_into(self, op<"abs">(self));
};
MT_OP(OpDef{
    .schema = {"abs_(Tensor(a!) self) -> Tensor(a!)"},
    .forms = function | method,
    .doc = R"(Replaces each element by its absolute value.

As `torch.abs`, but complex tensors are refused, whose absolute values are real.

Args:
    self (Tensor): any shape; floating or integer; changed in place.

Returns:
    Tensor: `self`.

Example:
    >>> torch.abs_(torch.tensor([-1.5, 2.0]))
    tensor([1.5000, 2.0000]))",
    .cpu = take_abs_in_place,
    .npu = {any_device},
    .meta = take_abs_in_place,
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * op<"sgn">(x); })},
    .grad_name = "AbsBackward0",
    .batch = batch_aligned,
});

MT_OP(OpDef{
    .schema = {"absolute_(Tensor(a!) self) -> Tensor(a!)"},
    .forms = method,
    .doc = R"(Replaces each element by its absolute value, as `abs_` does.

Args:
    self (Tensor): any shape; floating or integer; changed in place.

Returns:
    Tensor: `self`.

Example:
    >>> torch.tensor([-1.5, 2.0]).absolute_()
    tensor([1.5000, 2.0000]))",
    .composite = [](const Tensor& self) { op<"abs_">(self); },
});

}  // namespace
}  // namespace mt
