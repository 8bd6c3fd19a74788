// view_as: self.view(other.size()).
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"view_as(Tensor(a) self, Tensor other) -> Tensor(a)"},
    .forms = method,
    .doc = "self.view(other.size()).",
    .composite = [](const Tensor& self, const Tensor& other) -> Tensor { return op<"view">(self, other.sizes()); },
});

}  // namespace
}  // namespace mt
