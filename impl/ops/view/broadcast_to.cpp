// broadcast_to: a view of a shape that it broadcasts to.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)"},
    .forms = function | method,
    .doc = "The tensor expanded to `size`.",
    .composite = [](const Tensor& self, IntList size) -> Tensor { return op<"expand">(self, size); },
});

}  // namespace
}  // namespace mt
