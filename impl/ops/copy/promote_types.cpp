// promote_types: the smallest dtype of at least the kind and size of both.
#include "op.h"
#include "rules/pointwise.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"promote_types(ScalarType type1, ScalarType type2) -> ScalarType"},
    .forms = function,
    .doc = "The smallest dtype of at least the kind and size of both.",
    .composite = [](Dtype type1, Dtype type2) -> Dtype { return promote(type1, type2); },
});

}  // namespace
}  // namespace mt
