// _foreach_div: divides each tensor of a list by a number, a tensor or a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_div.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]",
               "_foreach_div.List(Tensor[] self, Tensor[] other) -> Tensor[]",
               "_foreach_div.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]",
               "_foreach_div.Tensor(Tensor[] self, Tensor other) -> Tensor[]"},
    .forms = function,
    .doc = R"(Divides each tensor of a list by a number, a tensor or that of another list.

The optimizers use it.)",
    .composite = foreach_scalar<"div">,
    .overloads = {overload("List", {.composite = foreach_list<"div">}), overload("ScalarList", {.composite = foreach_scalars<"div">}),
                  overload("Tensor", {.composite = foreach_with<"div">})},
});
MT_OP(OpDef{
    .schema = {"_foreach_div_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()",
               "_foreach_div_.List(Tensor(a!)[] self, Tensor[] other) -> ()",
               "_foreach_div_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()",
               "_foreach_div_.Tensor(Tensor(a!)[] self, Tensor other) -> ()"},
    .forms = function,
    .doc = R"(Divides each tensor of a list by a number, a tensor or that of another list, in place.

The optimizers use it.)",
    .composite = foreach_scalar_<"div_">,
    .overloads = {overload("List", {.composite = foreach_list_<"div_">}), overload("ScalarList", {.composite = foreach_scalars_<"div_">}),
                  overload("Tensor", {.composite = foreach_with_<"div_">})},
});

}  // namespace
}  // namespace mt
