// relu6: x held between 0 and 6.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"relu6(Tensor self) -> Tensor"},
    .forms = function | inplace_function,
    .doc = "x held between 0 and 6.",
    .module = "nn",
    .composite = [](const Tensor& self) -> Tensor { return op<"hardtanh">(self, 0, 6); },
});

}  // namespace
}  // namespace mt
