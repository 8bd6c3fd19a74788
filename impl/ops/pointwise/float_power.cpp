// float_power: powers in double precision, whatever the dtypes of the arguments.
#include "rules/form/algebra.h"

namespace mt {
namespace {

Dtype choose_wide_dtype(bool complex) { return complex ? Dtype::complex128 : Dtype::float64; }
Tensor widen_operand(const Tensor& t, Dtype dtype) { return t.dtype() == dtype ? t : op<"to.dtype">(t, dtype); }
Scalar widen_operand(const Scalar& s, Dtype dtype) { return dtype == Dtype::complex128 ? Scalar(s.to_complex()) : Scalar(s.to_double()); }
bool is_complex_operand(const Tensor& t) { return is_complex(t.dtype()); }
bool is_complex_operand(const Scalar& s) { return s.is_complex(); }

template <class Base, class Exponent>
Tensor raise_to_power(const Base& base, const Exponent& exponent) {
  const Dtype dtype = choose_wide_dtype(is_complex_operand(base) || is_complex_operand(exponent));
  return op<"pow">(widen_operand(base, dtype), widen_operand(exponent, dtype));
}
template <class Base, class Exponent>
Tensor power_into(const Base& base, const Exponent& exponent, const Tensor& out) {
  const Dtype dtype = choose_wide_dtype(is_complex_operand(base) || is_complex_operand(exponent));
  check(out.dtype() == dtype, "the output given to float_power has dtype {} but the operation's result requires dtype {}", out.dtype(),
        dtype);
  if constexpr (std::is_same_v<Base, Scalar>)
    return op<"pow.Scalar_out">(widen_operand(base, dtype), widen_operand(exponent, dtype), out);
  else if constexpr (std::is_same_v<Exponent, Scalar>)
    return op<"pow.Tensor_Scalar_out">(widen_operand(base, dtype), widen_operand(exponent, dtype), out);
  else
    return op<"pow.Tensor_Tensor_out">(widen_operand(base, dtype), widen_operand(exponent, dtype), out);
}
template <class Exponent>
Tensor power_in_place(const Tensor& self, const Exponent& exponent) {
  const Dtype dtype = choose_wide_dtype(is_complex_operand(self) || is_complex_operand(exponent));
  check(self.dtype() == dtype, "the base given to float_power_ has dtype {} but the operation's result requires dtype {}", self.dtype(),
        dtype);
  return op<"pow_">(self, widen_operand(exponent, dtype));
}

MT_OP(OpDef{
    .schema = {"float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor",
               "float_power.Scalar(Scalar self, Tensor exponent) -> Tensor",
               "float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes `self` raised to `exponent`, element by element, in double precision.

Both are converted to float64 first, or to complex128 if either is complex, whatever their
dtypes; integers to negative powers are allowed therefore. The tensors broadcast. Edge cases and
gradients are those of `torch.pow`.

Args:
    self (Tensor or number): the base; one of the two is a tensor.
    exponent (Tensor or number): the exponent.

Returns:
    Tensor: the broadcast shape; float64 or complex128.

Example:
    >>> torch.float_power(torch.tensor([2, 4]), -2)
    tensor([0.2500, 0.0625], dtype=torch.float64)
    >>> torch.float_power(2, torch.tensor([0.5, 3.0]))
    tensor([1.4142, 8.0000], dtype=torch.float64))",
    .composite = [](const Tensor& a, const Tensor& b) -> Tensor { return raise_to_power(a, b); },
    .overloads = {overload("Scalar",
                           {.forms = function, .composite = [](Scalar a, const Tensor& b) -> Tensor { return raise_to_power(a, b); }}),
                  overload("Tensor_Scalar", {.composite = [](const Tensor& a, Scalar b) -> Tensor { return raise_to_power(a, b); }})},
});
MT_OP(OpDef{
    .schema = {"float_power.Tensor_Tensor_out(Tensor self, Tensor exponent, *, Tensor(a!) out) -> Tensor(a!)",
               "float_power.Scalar_out(Scalar self, Tensor exponent, *, Tensor(a!) out) -> Tensor(a!)",
               "float_power.Tensor_Scalar_out(Tensor self, Scalar exponent, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = R"(Writes `self` raised to `exponent` into `out`.

`out` has to be float64, or complex128 for complex arguments.)",
    .composite = [](const Tensor& a, const Tensor& b, const Tensor& out) -> Tensor { return power_into(a, b, out); },
    .overloads = {overload("Scalar_out",
                           {.composite = [](Scalar a, const Tensor& b, const Tensor& out) -> Tensor { return power_into(a, b, out); }}),
                  overload("Tensor_Scalar_out",
                           {.composite = [](const Tensor& a, Scalar b, const Tensor& out) -> Tensor { return power_into(a, b, out); }})},
});
MT_OP(OpDef{
    .schema = {"float_power_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)",
               "float_power_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)"},
    .forms = method,
    .doc = R"(Raises `self` to `exponent` in place, in double precision.

Args:
    self (Tensor): float64, or complex128 where the exponent is complex; changed in place.
    exponent (Tensor or number): the exponent; broadcasts to the shape of `self`.

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when `self` has another dtype.

Example:
    >>> torch.tensor([2.0, 3.0], dtype=torch.float64).float_power_(2)
    tensor([4., 9.], dtype=torch.float64))",
    .composite = [](const Tensor& self, Scalar b) -> Tensor { return power_in_place(self, b); },
    .overloads = {overload("Tensor", {.composite = [](const Tensor& self, const Tensor& b) -> Tensor { return power_in_place(self, b); }})},
});

}  // namespace
}  // namespace mt
