// _foreach_maximum: the larger of each tensor of a list and a number or a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_maximum.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]",
               "_foreach_maximum.List(Tensor[] self, Tensor[] other) -> Tensor[]",
               "_foreach_maximum.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]"},
    .forms = function,
    .doc = R"(Takes the larger of each element of a list's tensors and a number or another list's element.

NaN stays NaN.)",
    .composite = foreach_scalar<"clamp_min">,
    .overloads = {overload("List", {.composite = foreach_list<"clamp_min">}),
                  overload("ScalarList", {.composite = foreach_scalars<"clamp_min">})},
});
MT_OP(OpDef{
    .schema = {"_foreach_maximum_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()",
               "_foreach_maximum_.List(Tensor(a!)[] self, Tensor[] other) -> ()",
               "_foreach_maximum_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()"},
    .forms = function,
    .doc = R"(Takes the larger of each element of a list's tensors and a number or another list's element.

The lists' tensors are changed in place.

NaN stays NaN.)",
    .composite = foreach_scalar_<"clamp_min_">,
    .overloads = {overload("List", {.composite = foreach_list_<"clamp_min_">}),
                  overload("ScalarList", {.composite = foreach_scalars_<"clamp_min_">})},
});

}  // namespace
}  // namespace mt
