// _foreach_addcdiv: each tensor of a list, plus value * tensor1 / tensor2.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_addcdiv.Scalar(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> Tensor[]",
               "_foreach_addcdiv.ScalarList(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars) -> Tensor[]",
               "_foreach_addcdiv.Tensor(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars) -> Tensor[]"},
    .forms = function,
    .doc = R"(Adds ``value * tensor1 / tensor2`` to each tensor of a list, with a value for all or each.

Adam and its relatives use it.)",
    .composite = foreach_ternary<"addcdiv">,
    .overloads = {overload("ScalarList", {.composite = foreach_ternary_scalars<"addcdiv">}),
                  overload("Tensor", {.composite = foreach_ternary_packed<"addcdiv">})},
});
MT_OP(OpDef{
    .schema = {"_foreach_addcdiv_.Scalar(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> ()",
               "_foreach_addcdiv_.ScalarList(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars) -> ()",
               "_foreach_addcdiv_.Tensor(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars) -> ()"},
    .forms = function,
    .doc = R"(Adds ``value * tensor1 / tensor2`` to each tensor of a list, with a value for all or each.

The lists' tensors are changed in place.

Adam and its relatives use it.)",
    .composite = foreach_ternary_<"addcdiv_">,
    .overloads = {overload("ScalarList", {.composite = foreach_ternary_scalars_<"addcdiv_">}),
                  overload("Tensor", {.composite = foreach_ternary_packed_<"addcdiv_">})},
});

}  // namespace
}  // namespace mt
