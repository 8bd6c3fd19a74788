// msort: the elements in order along the first dimension.
#include "rules/sorting.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"msort(Tensor self) -> Tensor"},
    .forms = function | method | out,
    .doc = "The elements in order along the first dimension.",
    .composite = [](const Tensor& self) -> Tensor { return op<"sort", Tensors<2>>(self, 0)[0]; },
});

}  // namespace
}  // namespace mt
