// reshape_as: self.reshape(other.size()).
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)"},
    .forms = method,
    .doc = "self.reshape(other.size()).",
    .composite = [](const Tensor& self, const Tensor& other) -> Tensor { return op<"reshape">(self, other.sizes()); },
});

}  // namespace
}  // namespace mt
