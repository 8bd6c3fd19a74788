// hardtanh: x between two bounds.
#include "rules/algebra.h"
#include "rules/checked.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto hardtanh_of = [](auto x, auto a, auto b) { return isnan_(x) ? x : x < a ? a : x > b ? b : x; };

void refuse_dtypes(const Call& call) {
  const Dtype dtype = Unbox<Tensor>::from(call.args[0]).dtype();
  check(dtype != Dtype::boolean, "Bool inputs not supported for hardtanh");
  check(!is_complex(dtype), ErrorKind::not_implemented, "clamp is not supported for complex types");
}

MT_OP(OpDef{
    .schema = {"hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor"},
    .forms = function | inplace_function | out,
    .doc = "x held between `min_val` and `max_val`.",
    .module = "nn",
    .rule = after(refuse_dtypes, pointwise(promoting)),
    .cpu = elementwise<hardtanh_of, 3, dtypes::real>("hardtanh_cpu"),
    .npu = {"Hardtanh"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"min_val", Scalar> a, In<"max_val", Scalar> b) {
      return op<"hardtanh_backward">(g, x, *a, *b);
    })},
});

}  // namespace
}  // namespace mt
