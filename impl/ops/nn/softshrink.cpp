// softshrink: x shrunk towards zero by lambd.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise_rows.h"

namespace mt {
namespace {

constexpr auto softshrink_of = [](auto x, auto l) {
  const decltype(x) inside = x * 0, below = x < -l ? x + l : inside;  // comparisons and selects, no branches; NaN stays
  return x > l ? x - l : below;
};

const PointwiseKernel* choose_kernel(const Call& c) {
  const Scalar lambda = Scalar::of_value(c.args[1]);
  lambda.check_fits(Dtype::float64);
  const double l = lambda.to_double();
  const Dtype dtype = Unbox<Tensor>::from(c.args[0]).dtype();
  const char* largest = dtype == Dtype::float64    ? "1.79769e+308"
                        : dtype == Dtype::float16  ? "65504"
                        : dtype == Dtype::bfloat16 ? "3.38953e+38"
                                                   : "3.40282e+38";
  if (!is_floating(dtype)) not_implemented_for("softshrink_check", dtype);
  check(l >= 0, "lambda must be in range [0, {}] for input dtype {}, but found {}", largest, dtype, l);
  static const PointwiseKernel kernel = with_rows<softshrink_of, 2, float32_and_float64>(
      elementwise<softshrink_of, 2, dtypes::floating>("softshrink_cpu"));
  return &kernel;
}

MT_OP(OpDef{
    .schema = {"softshrink(Tensor self, Scalar lambd=0.5) -> Tensor"},
    .forms = function | out,
    .doc = R"(Moves x towards zero by `lambd`; x within ``[-lambd, lambd]`` becomes 0.

Args:
    self (Tensor): floating tensor.
    lambd (number): distance; not negative. Default: ``0.5``.

Returns:
    Tensor: shape and dtype of `self`.

Raises:
    RuntimeError: when `lambd` is negative.

Example:
    >>> F.softshrink(torch.tensor([0.2, -3.0, 2.0]))
    tensor([ 0.0000, -2.5000,  1.5000]))",
    .module = "nn",
    .rule = rule_after_check(refuse_converting_out, pointwise(promoting)),
    .cpu = choose(choose_kernel),
    .npu = {"Softshrink"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"lambd", Scalar> l) { return op<"softshrink_backward">(g, x, *l); })},
});

}  // namespace
}  // namespace mt
