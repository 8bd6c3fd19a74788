// hypot: the length of a right triangle's hypotenuse.
#include "cpu/vecmath_more.h"
#include "rules/algebra.h"
#include "rules/pointwise.h"

namespace mt {
namespace {

// Forced: flatten leaves a call to a body of this size, and a loop with a call stays scalar.
constexpr auto hypot_of = [](auto a, auto b) __attribute__((always_inline)) { return cpu::vec::hypot(a, b); };

MT_OP(OpDef{
    .schema = {"hypot(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "sqrt(self**2 + other**2) without overflow on the way.",
    .rule = pointwise(promoting),
    .cpu = elementwise<hypot_of, 2, dtypes::floating>("hypot_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> a, Out<"result"> y) { return g * (a / y); }),
             wrt("other", [](Grad g, In<"other"> b, Out<"result"> y) { return g * (b / y); })},
});

}  // namespace
}  // namespace mt
