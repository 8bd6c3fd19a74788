// expand_as: self.expand(other.size()).
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"expand_as(Tensor(a) self, Tensor other) -> Tensor(a)"},
    .forms = method,
    .doc = "self.expand(other.size()).",
    .composite = [](const Tensor& self, const Tensor& other) -> Tensor { return op<"expand">(self, other.sizes()); },
});

}  // namespace
}  // namespace mt
