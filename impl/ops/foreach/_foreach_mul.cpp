// _foreach_mul: multiplies each tensor of a list by a number, a tensor or a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_mul.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]",
               "_foreach_mul.List(Tensor[] self, Tensor[] other) -> Tensor[]",
               "_foreach_mul.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]",
               "_foreach_mul.Tensor(Tensor[] self, Tensor other) -> Tensor[]"},
    .forms = function,
    .doc = R"(Multiplies each tensor of a list by a number, a tensor or that of another list.

The optimizers and gradient clipping use it.)",
    .composite = foreach_scalar<"mul">,
    .overloads = {overload("List", {.composite = foreach_list<"mul">}), overload("ScalarList", {.composite = foreach_scalars<"mul">}),
                  overload("Tensor", {.composite = foreach_with<"mul">})},
});
MT_OP(OpDef{
    .schema = {"_foreach_mul_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()",
               "_foreach_mul_.List(Tensor(a!)[] self, Tensor[] other) -> ()",
               "_foreach_mul_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()",
               "_foreach_mul_.Tensor(Tensor(a!)[] self, Tensor other) -> ()"},
    .forms = function,
    .doc = R"(Multiplies each tensor of a list by a number, a tensor or that of another list, in place.

The optimizers and gradient clipping use it.)",
    .composite = foreach_scalar_<"mul_">,
    .overloads = {overload("List", {.composite = foreach_list_<"mul_">}), overload("ScalarList", {.composite = foreach_scalars_<"mul_">}),
                  overload("Tensor", {.composite = foreach_with_<"mul_">})},
});

}  // namespace
}  // namespace mt
