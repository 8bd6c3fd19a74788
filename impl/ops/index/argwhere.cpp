// argwhere: the positions of non-zero elements as rows.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"argwhere(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = "The positions of non-zero elements as rows.",
    .composite = [](const Tensor& self) -> Tensor { return op<"nonzero">(self); },
});

}  // namespace
}  // namespace mt
