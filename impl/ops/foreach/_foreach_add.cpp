// _foreach_add: adds a number, a tensor or a list to each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_add.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]",
               "_foreach_add.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]",
               "_foreach_add.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]",
               "_foreach_add.Tensor(Tensor[] self, Tensor other, *, Scalar alpha=1) -> Tensor[]"},
    .forms = function,
    .doc = R"(Adds a number, a tensor or the tensors of a list (times `alpha`) to each tensor of a list.

The optimizers use it.)",
    .composite = foreach_scalar<"add">,
    .overloads = {overload("List", {.composite = foreach_list_alpha<"add">}), overload("ScalarList", {.composite = foreach_scalars<"add">}),
                  overload("Tensor", {.composite = foreach_with_alpha<"add">})},
});
MT_OP(OpDef{
    .schema = {"_foreach_add_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()",
               "_foreach_add_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()",
               "_foreach_add_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()",
               "_foreach_add_.Tensor(Tensor(a!)[] self, Tensor other, *, Scalar alpha=1) -> ()"},
    .forms = function,
    .doc = R"(Adds a number, a tensor or the tensors of a list (times `alpha`) to each tensor of a list.

The lists' tensors are changed in place.

The optimizers use it.)",
    .composite = foreach_scalar_<"add_">,
    .overloads = {overload("List", {.composite = foreach_list_alpha_<"add_">}),
                  overload("ScalarList", {.composite = foreach_scalars_<"add_">}),
                  overload("Tensor", {.composite = foreach_with_alpha_<"add_">})},
});

}  // namespace
}  // namespace mt
