// alias: a view of the whole tensor.
#include "rules/form/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"alias(Tensor(a) self) -> Tensor(a)"},
    .forms = internal,
    .doc = "Returns a view of the whole tensor: another tensor with the same memory, shape and strides.",
    .view = [](const Tensor& self) -> Tensor { return alias(self, true); },
    .sparse = [](const Tensor&) -> Tensor { fail(ErrorKind::not_implemented, "Cannot access storage of SparseTensorImpl"); },
    .grad = {wrt("self", [](Grad g) { return Tensor(g); })},
    .batch = batch_leading,
});

}  // namespace
}  // namespace mt
