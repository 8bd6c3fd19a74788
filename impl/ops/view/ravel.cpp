// ravel: the elements as a contiguous vector.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"ravel(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = "The elements as a contiguous vector.",
    .composite = [](const Tensor& self) -> Tensor { return op<"view">(op<"contiguous">(self), IntList{-1}); },
});

}  // namespace
}  // namespace mt
