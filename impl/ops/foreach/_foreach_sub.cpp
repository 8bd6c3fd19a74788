// _foreach_sub: subtracts a number or a list from each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_sub.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]",
               "_foreach_sub.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]",
               "_foreach_sub.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]"},
    .forms = function,
    .doc = R"(Subtracts a number or the tensors of a list (times `alpha`) from each tensor of a list.

The optimizers use it.)",
    .composite = foreach_scalar<"sub">,
    .overloads = {overload("List", {.composite = foreach_list_alpha<"sub">}),
                  overload("ScalarList", {.composite = foreach_scalars<"sub">})},
});
MT_OP(OpDef{
    .schema = {"_foreach_sub_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()",
               "_foreach_sub_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()",
               "_foreach_sub_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()"},
    .forms = function,
    .doc = R"(Subtracts a number or the tensors of a list (times `alpha`) from each tensor of a list, in place.

The optimizers use it.)",
    .composite = foreach_scalar_<"sub_">,
    .overloads = {overload("List", {.composite = foreach_list_alpha_<"sub_">}),
                  overload("ScalarList", {.composite = foreach_scalars_<"sub_">})},
});

}  // namespace
}  // namespace mt
