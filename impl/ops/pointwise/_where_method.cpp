// _where_method: where with the tensor first.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_where_method(Tensor self, Tensor condition, Tensor other) -> Tensor"},
    .doc = "where with the tensor first.",
    .composite = [](const Tensor& self, const Tensor& condition, const Tensor& other) -> Tensor { return op<"where.self">(condition, self, other); },
});

}  // namespace
}  // namespace mt
