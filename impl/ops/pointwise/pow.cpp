// pow: `self` raised to `exponent`, element by element.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise_layout.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse_pointwise.h"

namespace mt {
namespace {

// Forced inlining: GCC's flatten attribute does not inline it, and a loop with a call stays scalar. Powers of integers always take as many
// steps as an exponent has bits, which vectorises; a variable number of steps would be mispredicted.
constexpr auto power = [](auto base, auto exponent) __attribute__((always_inline)) {
  using T = decltype(base);
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 4) {
    using U = std::make_unsigned_t<T>;
    U result = 1, factor = U(base);
    const U bits = U(exponent);
#pragma GCC unroll 32
    for (int i = 0; i < std::numeric_limits<T>::digits; ++i) {
      result = U(uint32_t(result) * (bits >> i & 1 ? factor : U(1)));
      factor = U(uint32_t(factor) * factor);
    }
    // A negative power of an integer is rounded towards zero, so it is 0 unless the base is 1 or -1.
    const T of_negative = base == 1 ? T(1) : base != T(-1) ? T(0) : bits & 1 ? T(-1) : T(1);
    return std::is_signed_v<T> && exponent < 0 ? of_negative : T(result);
  } else {
    return pow_(base, exponent);
  }
};
// The power for one exponent of all elements: its loop runs over the exponent's actual bits only.
constexpr auto power_of_number = [](auto base, auto exponent) { return pow_(base, exponent); };

// Functions for common exponents, with the roundings of torch's functions for them.
constexpr auto square = [](auto base, auto) { return decltype(base)(base * base); };

constexpr auto cube = [](auto base, auto) { return decltype(base)(base * base * base); };

constexpr auto square_root = [](auto base, auto) { return sqrt_(base); };

constexpr auto power_of_one = [](auto base, auto) { return base; };

constexpr auto power_of_zero = [](auto base, auto) { return decltype(base)(1); };

constexpr auto reciprocal = [](auto base, auto) { return decltype(base)(1) / base; };

constexpr auto reciprocal_square = [](auto base, auto) { return decltype(base)(1) / (base * base); };

constexpr auto reciprocal_square_root = [](auto base, auto) { return decltype(base)(1) / sqrt_(base); };

// If the result is floating, the exponent's dtype does not affect the result's, so the kernel for squares has no exponent operand.
constexpr auto square_operand = [](auto base) { return base * base; };
const PointwiseKernel* one_operand_square_kernel() {
  static const PointwiseKernel choose_pow_kernel = with_halves<square_operand, 1>(elementwise<square_operand, 1, dtypes::floating>("pow"));
  return &choose_pow_kernel;
}

// The kernel for a common exponent, or nullptr. Roots and reciprocals are only for floating results.
const PointwiseKernel* kernel_for_exponent(double exponent, bool floating, bool complex) {
  if (exponent == 1) return kernel_of<power_of_one, 2, dtypes::numbers>("pow");
  if (exponent == 2) return kernel_of<square, 2, dtypes::numbers>("pow");
  if (exponent == 3) return kernel_of<cube, 2, dtypes::numbers>("pow");
  if (exponent == 0.5 && floating) return kernel_of<square_root, 2, dtypes::floating_and_complex>("pow");
  if (!floating || complex) return nullptr;
  if (exponent == -0.5) return kernel_of<reciprocal_square_root, 2, dtypes::floating>("pow");
  if (exponent == -1) return kernel_of<reciprocal, 2, dtypes::floating>("pow");
  if (exponent == -2) return kernel_of<reciprocal_square, 2, dtypes::floating>("pow");
  return nullptr;
}

// Chooses the kernel. As torch does for an exponent that is a number, refuses a negative integer exponent of an integer tensor, and one
// that does not fit its dtype.
const PointwiseKernel* choose_pow_kernel(const Call& c) {
  if (c.args[1].tag != MT_TAG_TENSOR) {
    const Scalar e = Scalar::of_value(c.args[1]);
    const bool has_numbers = c.args[0].tag == MT_TAG_TENSOR && !(c.keys & key_bit(Key::meta));
    if (has_numbers && is_integral(Unbox<Tensor>::from(c.args[0]).dtype(), true) && e.is_integral()) {
      check(e.to_int() >= 0, "Integers to negative integer powers are not allowed.");
      if (const Dtype dtype = Unbox<Tensor>::from(c.args[0]).dtype(); dtype != Dtype::boolean) e.check_fits(dtype);
    }
    if (c.args[0].tag == MT_TAG_TENSOR && !e.is_complex()) {
      const Dtype dtype = Unbox<Tensor>::from(c.args[0]).dtype();
      if (dtype == Dtype::boolean && e.is_bool())
        return e.equals(0) ? kernel_of<power_of_zero, 2, dtypes::boolean>("pow") : kernel_of<power_of_one, 2, dtypes::boolean>("pow");
      if (contains(dtypes::floating, dtype) && e.equals(2)) return one_operand_square_kernel();
      const bool floating = !is_integral(dtype, true) || !e.is_integral();
      if (const PointwiseKernel* special = kernel_for_exponent(e.to_double(), floating, is_complex(dtype))) return special;
      if (dtype == Dtype::int32 && e.is_integral()) return kernel_of<power_of_number, 2, Dtypes{dtype_bit(Dtype::int32)}>("pow");
    }
  }
  return kernel_of<power, 2, dtypes::numbers>("pow");
}

// The gradient exponent * base^(exponent - 1), and 0 for exponent 0, even if the base is 0 too.
Tensor gradient_of_base(const Tensor& g, const Tensor& base, const Tensor& exponent) {
  Tensor e = exponent;
  return op<"where">(op<"eq">(e, 0), op<"zeros_like">(g), g * conj(e * op<"pow">(base, e - 1)));
}

Tensor gradient_of_exponent(const Tensor& g, const Tensor& base, const Tensor& exponent, const Tensor& result) {
  Tensor zero = op<"logical_and">(op<"eq">(base, 0), op<"ge">(is_complex(exponent.dtype()) ? op<"real">(exponent) : exponent, 0));
  return g * op<"where">(zero, op<"zeros_like">(result), conj(result * op<"log">(base)));
}

// The power of a sparse_coo tensor, in the tensor's own dtype.
Tensor sparse_power(const Call& c) {
  const Tensor given = detail::tensor_of(c.args[0]);
  const Scalar exponent = Scalar::of_value(c.args[1]);
  if (c.op.form == Form::inplace) refuse_in_place_and_out(c);
  check(!exponent.is_complex(), "value cannot be converted to type double without overflow");
  check(!exponent.equals(0), "pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense");
  check_sparse_out(c);
  BelowAutograd guard;
  const Tensor self = coalesce(given), values = op<"pow.Tensor_Scalar">(components_of(self).values, exponent);
  check_result_cast(values.dtype(), given.dtype());
  return coo_tensor(op<"clone">(components_of(self).indices), op<"to.dtype">(values, given.dtype()), self.sizes(), true);
}

MT_OP(OpDef{
    .schema = {"pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", "pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor",
               "pow.Scalar(Scalar self, Tensor exponent) -> Tensor"},
    .forms = function | method | inplace | out,
    .form_overloads = {{"Tensor_Scalar", "Scalar"}, {"Tensor_Tensor", "Tensor"}},
    .doc = R"(Computes `self` raised to `exponent`, element by element.

Anything to the power 0 is 1. Negative real numbers to fractional powers give NaN. Integers wrap
around; to a tensor of negative integers they give 0 (1 and -1 excepted), to a negative integer
number they are refused. The tensors broadcast and their dtypes are promoted. The gradients are
exponent * `self`^(exponent - 1), 0 where the exponent is 0, and result * log(`self`), 0 where
`self` is 0 and the exponent not negative.

Args:
    self (Tensor or number): the base; one of the two is a tensor.
    exponent (Tensor or number): the exponent.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Raises:
    RuntimeError: when integers are raised to a negative integer number; see `torch.float_power`.

Example:
    >>> torch.pow(torch.tensor([1.0, 2.0, 3.0]), 2)
    tensor([1., 4., 9.])
    >>> torch.pow(2, torch.tensor([1, 2, 3]))
    tensor([2, 4, 8])
    >>> torch.pow(torch.tensor([4.0, 9.0]), torch.tensor([0.5, -1.0]))
    tensor([2.0000, 0.1111]))",
    .aliases = "__pow__",
    .inplace_aliases = "__ipow__",
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose(choose_pow_kernel),
    .npu = {"PowTensorTensor", "PowTensorScalar"},
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, In<"self"> base, In<"exponent"> e) { return gradient_of_base(g, base, e); }),
             wrt("exponent",
                 [](Grad g, In<"self"> base, In<"exponent"> e, Out<"result"> y) { return gradient_of_exponent(g, base, e, y); })},
    .grad_name = "PowBackward1",
    .overloads = {overload("Tensor_Scalar", {.sparse = [](const Call& c) -> Tensor { return sparse_power(c); },
                                             .grad = {wrt("self",
                                                          [](Grad g, In<"self"> base, In<"exponent", Scalar> e) {
                                                            if (e.value.equals(0)) return op<"zeros_like">(g);
                                                            if (e.value.is_complex())
                                                              return g * conj(op<"pow">(base,
                                                                                        e.value.to_complex() == Complex<double>()
                                                                                            ? Scalar(0)
                                                                                            : Scalar(Complex<double>(e.value.to_complex() -
                                                                                                                     Complex<double>(1)))) *
                                                                              e.value);
                                                            Scalar less = e.value.is_integral() ? Scalar(e.value.to_int() - 1)
                                                                                                : Scalar(e.value.to_double() - 1);
                                                            return g * conj(op<"pow">(base, less) * e.value);
                                                          })},
                                             .grad_name = "PowBackward0"}),
                  overload("Scalar", {.rule = pointwise_with_layout(ResultLayout::in_rows, promoting_with_scalars),
                                      .npu = {"PowScalarTensor"},
                                      .grad = {wrt("exponent",
                                                   [](Grad g, In<"self", Scalar> base, In<"exponent"> e, Out<"result"> y) -> Tensor {
                                                     // The base stays a number: a 0-dim tensor's logarithm would have the default dtype.
                                                     if (base.value.equals(0)) return gradient_of_exponent(g, wrapped_number(*base), e, y);
                                                     const Scalar log = base.value.is_complex() ? Scalar(log_(base.value.to_complex()))
                                                                                                : Scalar(std::log(base.value.to_double()));
                                                     return g * conj(y * log);
                                                   })},
                                      .grad_name = "PowBackward2"})},
});

}  // namespace
}  // namespace mt
