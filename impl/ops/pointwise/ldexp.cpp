// ldexp: self times a power of two.
#include <cmath>

#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise_layout.h"
#include "vmap/rule.h"

namespace mt {
namespace {

// Integer exponents scale directly, where 2 ** exponent alone might overflow.
constexpr auto scale_by_power = [](auto x, auto exponent) {
  return std::ldexp(x, int(exponent < -5000 ? -5000 : exponent > 5000 ? 5000 : exponent));
};

Tensor scale_by_exponent_kernel(const Tensor& self, const Tensor& other) {
  if (other.dtype() == Dtype::boolean) not_implemented_for("ldexp_cpu_exp", other.dtype());
  const Tensor inputs[] = {self, op<"to.dtype">(other, Dtype::int32)};  // C's int, with whatever conversion of larger numbers gives
  const Tensor out = empty_result_of(inputs, 2, self.dtype(), self.device());
  run_pointwise(*kernel_of<scale_by_power, 2, dtypes::floating>("ldexp_cpu"), self.dtype(), out, inputs, 2);
  return out;
}

constexpr auto multiply_by_power = [](const Tensor& self, const Tensor& other) -> Tensor {
  BelowAutograd guard;
  const bool whole = is_floating(self.dtype()) && is_integral(other.dtype(), true);
  if (whole && self.device().is_cpu() && other.device().is_cpu()) return scale_by_exponent_kernel(self, other);
  return self * op<"pow">(Scalar(2.0), whole ? op<"to.dtype">(other, self.dtype()) : other);
};

void check_ldexp_arguments(const Call& call) {
  refuse_meta_mixtures(call);
  if (call.op.form == Form::functional) return;
  const Dtype target = Unbox<Tensor>::from(call.args[call.op.form == Form::inplace ? 0 : call.op.n_args - 1]).dtype();
  check(!is_integral(target, true), "ldexp can't be cast to the desired output type {}", target);
}

MT_OP(OpDef{
    .schema = {"ldexp.Tensor(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .form_overloads = {{"Tensor", ""}},
    .doc = R"(Computes `self` * 2 ** `other`, element by element.

With a floating `self` and integer exponents the binary point moves, so that no power overflows
on the way; other exponents go through `torch.pow`. The tensors broadcast and their dtypes are
promoted. Integers count as the default float dtype. The gradients are 2^other and result *
log(2).

Args:
    self (Tensor): the numbers to scale.
    other (Tensor): the exponents.

Returns:
    Tensor: the broadcast shape; floating or complex.

Example:
    >>> torch.ldexp(torch.tensor([1.0, 3.0]), torch.tensor([4, -1]))
    tensor([16.0000,  1.5000]))",
    .rule = rule_after_check(check_ldexp_arguments),
    .cpu = multiply_by_power,
    .npu = {any_device},
    .meta = multiply_by_power,
    .grad = {wrt("self", [](Grad g, In<"other"> other) { return g * conj(op<"pow">(Scalar(2.0), other)); }),
             wrt("other", [](Grad g, Out<"result"> y) { return g * conj(y) * M_LN2; })},
    .out_policy = OutPolicy{.casts = true, .takes_strides = true},
    .batch = batch_aligned,
});

}  // namespace
}  // namespace mt
