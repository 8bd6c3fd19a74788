// msort: the elements in order along the first dimension.
#include "dispatch/out_words.h"
#include "rules/sorting.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"msort(Tensor self) -> Tensor"},
    .forms = function | method | out,
    .doc = "The elements in order along the first dimension.",
    .composite = [](const Tensor& self) -> Tensor { return op<"sort", Tensors<2>>(self, 0)[0]; },
});

MT_OUT("msort", .keeps_strides = true, .recorded_as = "sort");

}  // namespace
}  // namespace mt
