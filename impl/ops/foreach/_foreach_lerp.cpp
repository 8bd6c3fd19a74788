// _foreach_lerp: interpolates from each tensor of a list to that of another.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_lerp.List(Tensor[] self, Tensor[] tensors1, Tensor[] weights) -> Tensor[]",
               "_foreach_lerp.Scalar(Tensor[] self, Tensor[] tensors1, Scalar weight) -> Tensor[]",
               "_foreach_lerp.ScalarList(Tensor[] self, Tensor[] tensors1, Scalar[] weight) -> Tensor[]"},
    .forms = function,
    .doc = R"(Interpolates from each tensor of a list to that of another by a weight.

Adam and its relatives use it.)",
    .composite = foreach_lists<"lerp">,
    .overloads = {overload("Scalar", {.composite = foreach_list_scalar<"lerp">}),
                  overload("ScalarList", {.composite = foreach_list_scalars<"lerp">})},
});
MT_OP(OpDef{
    .schema = {"_foreach_lerp_.List(Tensor(a!)[] self, Tensor[] tensors1, Tensor[] weights) -> ()",
               "_foreach_lerp_.Scalar(Tensor(a!)[] self, Tensor[] tensors1, Scalar weight) -> ()",
               "_foreach_lerp_.ScalarList(Tensor(a!)[] self, Tensor[] tensors1, Scalar[] weight) -> ()"},
    .forms = function,
    .doc = R"(Interpolates from each tensor of a list to that of another by a weight, in place.

Adam and its relatives use it.)",
    .composite = foreach_lists_<"lerp_">,
    .overloads = {overload("Scalar", {.composite = foreach_list_scalar_<"lerp_">}),
                  overload("ScalarList", {.composite = foreach_list_scalars_<"lerp_">})},
});

}  // namespace
}  // namespace mt
