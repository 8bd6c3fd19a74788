// _scaled_grouped_mm_v2: products of groups of float8 matrices with scales. As in torch, only accelerators have a kernel.
#include "rules/form/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_scaled_grouped_mm_v2(Tensor self, Tensor mat2, Tensor[] scale_a, int[] recipe_a, int[] swizzle_a, Tensor[] scale_b, "
               "int[] recipe_b, int[] swizzle_b, Tensor? offs=None, Tensor? bias=None, ScalarType? out_dtype=None, "
               "int[] contraction_dim=[], bool use_fast_accum=False) -> Tensor"},
    .forms = function,
    .doc = R"(Multiplies groups of float8 matrices with scales; torch.nn.functional.scaled_grouped_mm documents it.)",
});

}  // namespace
}  // namespace mt
