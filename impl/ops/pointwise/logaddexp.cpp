// logaddexp, xlogy, copysign, heaviside, nextafter, gcd, lcm, shifts: further functions of two elements.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto log_sum = [](auto a, auto b) {
  if (abs_(a) == decltype(a)(__builtin_inf()) && a == b) return a;
  const auto m = a < b ? b : a;
  return m + log1p_(exp_(-abs_(a - b)));
};
constexpr auto log2_sum = [](auto a, auto b) {
  using T = decltype(a);
  if (abs_(a) == T(__builtin_inf()) && a == b) return a;
  const T m = a < b ? b : a;
  return m + log1p_(exp2_(-abs_(a - b))) * T(1.4426950408889634);
};
MT_OP(OpDef{
    .schema = {"logaddexp(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = "log(exp(self) + exp(other)) without overflow.",
    .rule = pointwise(promoting),
    .cpu = elementwise<log_sum, 2, dtypes::floating>("logaddexp_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> a, In<"other"> b) { return g / (op<"exp">(b - a) + 1); }),
             wrt("other", [](Grad g, In<"self"> a, In<"other"> b) { return g / (op<"exp">(a - b) + 1); })},
});
MT_OP(OpDef{
    .schema = {"logaddexp2(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = "log2(2^self + 2^other) without overflow.",
    .rule = pointwise(promoting),
    .cpu = elementwise<log2_sum, 2, dtypes::floating>("logaddexp2_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> a, In<"other"> b) { return g / (op<"exp2">(b - a) + 1); }),
             wrt("other", [](Grad g, In<"self"> a, In<"other"> b) { return g / (op<"exp2">(a - b) + 1); })},
});
constexpr auto x_log_y = [](auto x, auto y) { return isnan_(y) ? y : x == 0 ? x * 0 : x * log_(y); };
MT_OP(OpDef{
    .schema = {"xlogy.Tensor(Tensor self, Tensor other) -> Tensor", "xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor", "xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "self * log(other), 0 where self is 0.",
    .aliases = "special_xlogy",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = elementwise<x_log_y, 2, dtypes::floating>("xlogy_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"other"> y) { return op<"masked_fill">(g * op<"log">(y), op<"logical_and">(op<"eq">(x, 0), op<"le">(y, 0)), 0); }),
             wrt("other", [](Grad g, In<"self"> x, In<"other"> y) { return g * (x / y); })},
    .overloads = {overload("Scalar_Self", {.grad = {wrt("other", [](Grad g, In<"self"> x, In<"other"> y) { return g * (x / y); })}}),
                  overload("Scalar_Other", {.grad = {wrt("self", [](Grad g, In<"self"> x, In<"other"> y) {
                             return op<"masked_fill">(g * op<"log">(y), op<"logical_and">(op<"eq">(x, 0), op<"le">(y, 0)), 0);
                           })}})},
});
constexpr auto with_sign = [](auto x, auto s) { return std::copysign(x, s); };
MT_OP(OpDef{
    .schema = {"copysign.Tensor(Tensor self, Tensor other) -> Tensor", "copysign.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The magnitude of `self` with the sign of `other`.",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = elementwise<with_sign, 2, dtypes::floating>("copysign_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> x, Out<"result"> y) { return g * op<"masked_fill">(y / x, op<"eq">(x, 0), 0); }),
             wrt("other", [](Grad g) { return op<"zeros_like">(g); })},
    .overloads = {overload("Scalar", {.grad = {wrt("self", [](Grad g, In<"self"> x, Out<"result"> y) { return g * op<"masked_fill">(y / x, op<"eq">(x, 0), 0); })}})},
});
constexpr auto step = [](auto x, auto v) { return isnan_(x) ? x : x == 0 ? v : decltype(x)(x > 0); };
MT_OP(OpDef{
    .schema = {"heaviside(Tensor self, Tensor values) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "0 below zero, 1 above, `values` at zero.",
    .rule = pointwise(same_dtype),
    .cpu = elementwise<step, 2, dtypes::real_and_bool>("heaviside_cpu"),
    .grad = not_differentiable,
});
constexpr auto next = [](auto a, auto b) { return std::nextafter(a, b); };
MT_OP(OpDef{
    .schema = {"nextafter(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The next number after `self` towards `other`.",
    .rule = pointwise(promoting),
    .cpu = elementwise<next, 2, Dtypes(dtype_bit(Dtype::float32) | dtype_bit(Dtype::float64))>("nextafter_cpu"),
    .grad = not_differentiable,
});
constexpr auto divisor = [](auto a, auto b) {
  auto x = abs_(a), y = abs_(b);
  while (x != 0) {
    auto t = x;
    x = decltype(x)(y % x);
    y = t;
  }
  return y;
};
constexpr auto multiple = [](auto a, auto b) {
  using T = decltype(a);
  const T d = divisor(a, b);
  return d == 0 ? T(0) : T(abs_(T(a / d * b)));
};
MT_OP(OpDef{
    .schema = {"gcd(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The greatest common divisor.",
    .rule = pointwise(promoting),
    .cpu = elementwise<divisor, 2, dtypes::integral>("gcd_cpu"),
    .grad = not_differentiable,
});
MT_OP(OpDef{
    .schema = {"lcm(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The least common multiple.",
    .rule = pointwise(promoting),
    .cpu = elementwise<multiple, 2, dtypes::integral>("lcm_cpu"),
    .grad = not_differentiable,
});
constexpr auto left = [](auto a, auto b) {
  using T = decltype(a);
  return b < 0 || uint64_t(b) >= sizeof(T) * 8 ? T(0) : T(std::make_unsigned_t<T>(a) << b);
};
constexpr auto right = [](auto a, auto b) {
  using T = decltype(a);
  const int most = int(sizeof(T)) * 8 - (std::is_signed_v<T> ? 1 : 0);
  if (b < 0 || uint64_t(b) >= uint64_t(most)) return std::is_signed_v<T> ? T(a >> (sizeof(T) * 8 - 1)) : T(0);
  return T(a >> b);
};
MT_OP(OpDef{
    .schema = {"bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor", "bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor",
               "bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` shifted left by `other` bits.",
    .aliases = "__lshift__",
    .inplace_aliases = "__ilshift__",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<left, 2, dtypes::integral>("lshift_cpu"),
    .grad = not_differentiable,
});
MT_OP(OpDef{
    .schema = {"bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor", "bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor",
               "bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` shifted right by `other` bits, keeping the sign.",
    .aliases = "__rshift__",
    .inplace_aliases = "__irshift__",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<right, 2, dtypes::integral>("rshift_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
