// hardtanh_backward: the gradient between the bounds.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto hardtanh_backward_of = [](auto g, auto x, auto a, auto b) { return x <= a || x >= b ? decltype(g)(0) : g; };

MT_OP(OpDef{
    .schema = {"hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) -> Tensor"},
    .forms = internal | out,
    .form_overloads = {{"out", "grad_input(grad_input)"}},
    .doc = "Passes the gradient strictly between the bounds: that of ``hardtanh``.",
    .rule = pointwise(promoting),
    .cpu = elementwise<hardtanh_backward_of, 4, dtypes::floating>("hardtanh_backward_cpu"),
    .npu = {"HardtanhBackward"},
    .grad = {wrt("grad_output", [](Grad g, In<"self"> x, In<"min_val", Scalar> a,
                                   In<"max_val", Scalar> b) { return op<"hardtanh_backward">(g, x, *a, *b); }),
             wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
