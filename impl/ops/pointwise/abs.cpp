// abs: the absolute value.
#include "rules/algebra.h"
#include "rules/checked.h"
#include "rules/half_bits.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"
#include "rules/sparse.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto absolute = [](auto x) { return abs_(x); };
constexpr auto no_sign = [](uint16_t x) { return uint16_t(x & ~half_sign); };

// The magnitude of complex numbers may go to any real out.
void refuse_out(const Call& call) {
  const auto complex_at = [&](int i) { return is_complex(Unbox<Tensor>::from(call.args[i]).dtype()); };
  if (call.op.form == Form::out && complex_at(0) && !complex_at(1)) return;
  refuse_converting_out(call);
}

MT_OP(OpDef{
    .schema = {"abs(Tensor self) -> Tensor"},
    .forms = function | method | out,
    .doc = "The absolute value of each element; real for complex tensors.",
    .aliases = "absolute __abs__",
    .rule = after(refuse_out, pointwise(promoting)),
    .cpu = with_half_bits<no_sign, 1>(elementwise<absolute, 1, dtypes::numbers>("abs_cpu")),
    .npu = {"Abs"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * op<"sgn">(x); })},
});
constexpr auto in_place = [](const Tensor& self) {
  check(!is_complex(self.dtype()), "In-place abs is not supported for complex tensors.");
  check_no_internal_overlap(self);
  BelowAutograd guard;
  if (!self.is_meta()) copy_into(self, op<"abs">(self));
};
MT_OP(OpDef{
    .schema = {"abs_(Tensor(a!) self) -> Tensor(a!)"},
    .forms = function | method,
    .doc = "The absolute value, in place.",
    .cpu = in_place,
    .npu = {any_device},
    .meta = in_place,
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * op<"sgn">(x); })},
    .grad_name = "AbsBackward0",
});
MT_BATCH("abs_", batch_aligned);

MT_OP(OpDef{
    .schema = {"absolute_(Tensor(a!) self) -> Tensor(a!)"},
    .forms = method,
    .doc = "The absolute value, in place.",
    .composite = [](const Tensor& self) { op<"abs_">(self); },
});

}  // namespace
}  // namespace mt
