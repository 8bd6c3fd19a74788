// type_as: `self` in the dtype and device of `other`.
#include "rules/factory.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"type_as(Tensor self, Tensor other) -> Tensor"},
    .forms = method,
    .doc = "`self` in the dtype and device of `other`.",
    .composite = [](const Tensor& self, const Tensor& other) -> Tensor { return op<"to.other">(self, other); },
});

}  // namespace
}  // namespace mt
