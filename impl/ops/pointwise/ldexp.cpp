// ldexp: self times a power of two.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"ldexp.Tensor(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "self * 2 ** other.",
    .composite = [](const Tensor& self, const Tensor& other) -> Tensor { return self * op<"pow">(Scalar(2.0), other); },
});

}  // namespace
}  // namespace mt
