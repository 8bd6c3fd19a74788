// _foreach_clamp_max: the smaller of each tensor of a list and a number or a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_clamp_max.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]",
               "_foreach_clamp_max.List(Tensor[] self, Tensor[] other) -> Tensor[]",
               "_foreach_clamp_max.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]"},
    .forms = function,
    .doc = R"(Takes the smaller of each element of a list's tensors and a number or another list's element.

NaN stays NaN.)",
    .composite = foreach_scalar<"clamp_max">,
    .overloads = {overload("List", {.composite = foreach_list<"clamp_max">}),
                  overload("ScalarList", {.composite = foreach_scalars<"clamp_max">})},
});
MT_OP(OpDef{
    .schema = {"_foreach_clamp_max_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()",
               "_foreach_clamp_max_.List(Tensor(a!)[] self, Tensor[] other) -> ()",
               "_foreach_clamp_max_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()"},
    .forms = function,
    .doc = R"(Takes the smaller of each element of a list's tensors and a number or another list's element.

The lists' tensors are changed in place.

NaN stays NaN.)",
    .composite = foreach_scalar_<"clamp_max_">,
    .overloads = {overload("List", {.composite = foreach_list_<"clamp_max_">}),
                  overload("ScalarList", {.composite = foreach_scalars_<"clamp_max_">})},
});

}  // namespace
}  // namespace mt
