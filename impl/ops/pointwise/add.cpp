// add: the sum of two tensors, the second times `alpha`.
#include "rules/algebra.h"
#include "rules/alpha.h"
#include "rules/pointwise_rows.h"
#include "rules/sparse_compressed_math.h"
#include "rules/sparse_pointwise.h"

namespace mt {
namespace {

constexpr auto plus = [](auto a, auto b) {
  if constexpr (std::is_same_v<decltype(a), bool>)
    return a || b;
  else
    return a + b;
};
constexpr auto plus_scaled = [](auto a, auto b, auto alpha) {
  if constexpr (std::is_same_v<decltype(a), bool>)
    return a || (alpha && b);
  else
    return a + alpha * b;
};

MT_OP(OpDef{
    .schema = {"add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
               "add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` + `alpha` * `other`, with broadcasting and type promotion.",
    .aliases = "__add__ __radd__",
    .inplace_aliases = "__iadd__",
    .deprecated_signatures = "add(Tensor input, Number alpha, Tensor other)",
    .traits = MT_OP_NUMBERS_AS_TENSORS,
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose([](const Call& c) {
      static const PointwiseKernel sum = with_rows_of_either<plus>(with_halves<plus, 2>(elementwise<plus, 2>("add_stub")));
      return is_one(c.args[2]) ? &sum : checked_alpha(c, kernel_of<plus_scaled, 3>("add_stub"));
    }),
    .npu = {"Add", "Adds"},
    .sparse = [](const Call& c) -> Tensor { return sparse_sum(c, Scalar::of_value(c.args[2])); },
    .compressed = [](const Call& c) -> Tensor {
      return compressed_sum(c, detail::tensor_of(c.args[0]), detail::tensor_of(c.args[1]), Scalar::of_value(c.args[2]));
    },
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }),
             wrt("other", [](Grad g, In<"alpha", Scalar> alpha) { return times_conj(g, alpha); })},
    .overloads = {overload("Scalar", {.grad_name = "AddBackward1"})},
});

}  // namespace
}  // namespace mt
