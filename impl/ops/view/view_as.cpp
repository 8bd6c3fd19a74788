// view_as, reshape_as, expand_as: the shape of another tensor.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"view_as(Tensor(a) self, Tensor other) -> Tensor(a)"},
    .forms = method,
    .doc = "self.view(other.size()).",
    .composite = [](const Tensor& self, const Tensor& other) -> Tensor { return op<"view">(self, other.sizes()); },
});
MT_OP(OpDef{
    .schema = {"reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)"},
    .forms = method,
    .doc = "self.reshape(other.size()).",
    .composite = [](const Tensor& self, const Tensor& other) -> Tensor { return op<"reshape">(self, other.sizes()); },
});
MT_OP(OpDef{
    .schema = {"expand_as(Tensor(a) self, Tensor other) -> Tensor(a)"},
    .forms = method,
    .doc = "self.expand(other.size()).",
    .composite = [](const Tensor& self, const Tensor& other) -> Tensor { return op<"expand">(self, other.sizes()); },
});

}  // namespace
}  // namespace mt
