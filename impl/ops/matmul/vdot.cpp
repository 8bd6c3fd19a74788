// vdot: the sum of products of two vectors, the first conjugated.
#include "rules/algebra.h"
#include "rules/rule.h"

namespace mt {
namespace {

constexpr auto product_of = [](const Tensor& a, const Tensor& b) -> Tensor {
  BelowAutograd guard;
  return op<"dot">(conj(a), b);
};

MT_OP(OpDef{
    .schema = {"vdot(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = "The sum of products of two vectors, the first conjugated.",
    .cpu = product_of,
    .meta = product_of,
    .grad = {wrt("self", [](Grad g, In<"other"> b) { return conj(g) * b; }),
             wrt("other", [](Grad g, In<"self"> a) { return g * a; })},
});

}  // namespace
}  // namespace mt
