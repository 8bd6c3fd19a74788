// hardswish_backward: derivative of hardswish.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto hardswish_backward_of = [](auto g, auto x) {
  using T = decltype(g);
  return x <= -3 ? T(0) : x < 3 ? g * (x / 3 + T(0.5)) : g;
};

MT_OP(OpDef{
    .schema = {"hardswish_backward(Tensor grad_output, Tensor self) -> Tensor"},
    .forms = internal,
    .doc = "Computes hardswish's gradient: `grad_output` times 0 up to -3, x / 3 + 1/2 up to 3, 1 from there on.",
    .rule = pointwise(promoting),
    .cpu = elementwise<hardswish_backward_of, 2, dtypes::floating>("hardswish_backward_cpu"),
    .npu = {"HardswishBackward"},
    .grad = {wrt("grad_output", [](Grad g, In<"self"> x) { return op<"hardswish_backward">(g, x); }),
             wrt("self", [](Grad g, In<"grad_output"> go,
                            In<"self"> x) { return op<"where">(op<"logical_and">(op<"gt">(x, -3.0), op<"lt">(x, 3.0)), g * go / 3, 0); })},
});

}  // namespace
}  // namespace mt
