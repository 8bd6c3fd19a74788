// sigmoid: the logistic function.
#include "rules/algebra.h"
#include "rules/complex_loops.h"

namespace mt {
namespace {

constexpr auto sigmoid_of_power = [](auto x, auto power) { return quotient(decltype(x)(1), decltype(x)(1) + power); };
constexpr auto sigmoid_of = [](auto x) { return decltype(x)(1) / (decltype(x)(1) + exp_(-x)); };

MT_OP(OpDef{
    .schema = {"sigmoid(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "1 / (1 + exp(-x)) for each element.",
    .aliases = "special_expit",
    .rule = pointwise(promoting_to_float),
    .cpu = with_exponentials<sigmoid_of_power, -1>(elementwise<sigmoid_of, 1, dtypes::floating_and_complex>("sigmoid_cpu"))
               .with_grain(4096),
    .npu = {"Sigmoid"},
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return op<"sigmoid_backward">(g, y); })},
});

}  // namespace
}  // namespace mt
