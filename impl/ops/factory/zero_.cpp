// zero_: sets every element to zero.
#include "rules/factory.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"zero_(Tensor(a!) self) -> Tensor(a!)"},
    .forms = method | function,
    .doc = "Sets every element to zero.",
    .cpu = [](const Tensor& self) { fill_with(self, 0); },
    .npu = {any_device},
    .meta = [](const Tensor&) {},
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

MT_BATCH("zero_", batch_aligned);

}  // namespace
}  // namespace mt
