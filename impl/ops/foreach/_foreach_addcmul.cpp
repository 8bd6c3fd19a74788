// _foreach_addcmul: each tensor of a list, plus value * tensor1 * tensor2.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_addcmul.Scalar(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> Tensor[]",
               "_foreach_addcmul.ScalarList(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars) -> Tensor[]",
               "_foreach_addcmul.Tensor(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars) -> Tensor[]"},
    .forms = function,
    .doc = R"(Adds ``value * tensor1 * tensor2`` to each tensor of a list, with a value for all or each.

Adam and its relatives use it.)",
    .composite = foreach_ternary<"addcmul">,
    .overloads = {overload("ScalarList", {.composite = foreach_ternary_scalars<"addcmul">}),
                  overload("Tensor", {.composite = foreach_ternary_packed<"addcmul">})},
});
MT_OP(OpDef{
    .schema = {"_foreach_addcmul_.Scalar(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> ()",
               "_foreach_addcmul_.ScalarList(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars) -> ()",
               "_foreach_addcmul_.Tensor(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars) -> ()"},
    .forms = function,
    .doc = R"(Adds ``value * tensor1 * tensor2`` to each tensor of a list, with a value for all or each.

The lists' tensors are changed in place.

Adam and its relatives use it.)",
    .composite = foreach_ternary_<"addcmul_">,
    .overloads = {overload("ScalarList", {.composite = foreach_ternary_scalars_<"addcmul_">}),
                  overload("Tensor", {.composite = foreach_ternary_packed_<"addcmul_">})},
});

}  // namespace
}  // namespace mt
