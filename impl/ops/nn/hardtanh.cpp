// hardtanh: x between two bounds.
#include "core/messages.h"
#include "definition/definition.h"
#include "rules/form/checked.h"
#include "rules/pointwise/bounds.h"
#include "rules/pointwise/pointwise_layout.h"

namespace mt {
namespace {

void refuse_unsupported_dtypes_and_bounds(const Call& call) {
  const Dtype dtype = Unbox<Tensor>::from(call.args[0]).dtype();
  check(dtype != Dtype::boolean, "Bool inputs not supported for hardtanh");
  check(!is_complex(dtype), ErrorKind::not_implemented, messages::clamp_of_complex);
  check(dtype != Dtype::uint8 || (Scalar::of_value(call.args[1]).to_int() >= 0 && Scalar::of_value(call.args[2]).to_int() >= 0),
        "cannot do hardtanh on an unsigned type with negative limits");
}

// Integer tensors need integer bounds.
struct RequireIntegerBounds : Rule {
  void install(Operator& op) const override {
    rule->install(op);
    for (Key key : {Key::cpu, Key::meta}) set_slot(op, key, run, new Slot(op.slots[int(key)]));
  }
  static void run(const Call& call, const void* data) {
    const auto& slot = *static_cast<const Slot*>(data);
    Small<Value, 4> args(List<Value>(call.args, call.op.n_args));
    const Dtype dtype = Unbox<Tensor>::from(args[0]).dtype();
    const bool is_whole = is_integral(dtype, false);
    for (int i = 1; i <= 2 && (is_whole || is_half(dtype)); ++i) {
      const Scalar bound = Scalar::of_value(args[i]);
      bound.check_fits(is_whole ? Dtype::int64 : dtype);
      if (is_whole) args[i] = box(bound.to_int());
    }
    slot.fn(Call{call.op, call.keys, args.data(), call.rets}, slot.data);
  }
  const Rule* rule = rule_after_check(refuse_unsupported_dtypes_and_bounds,
                                      rule_after_check(refuse_converting_out, pointwise_with_layout(ResultLayout::of_first)));
};

MT_OP(OpDef{
    .schema = {"hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor"},
    .forms = function | inplace_function | out,
    .doc = R"(Holds x between `min_val` and `max_val`.

The gradient is 1 strictly between them and 0 elsewhere.

Args:
    self (Tensor): real tensor; not bool.
    min_val (number): lower bound. Default: ``-1``.
    max_val (number): upper bound. Default: ``1``.

Returns:
    Tensor: shape and dtype of `self`; the in-place form returns `self`.

Raises:
    RuntimeError: when `self` is bool, or unsigned with a negative bound.

Example:
    >>> F.hardtanh(torch.tensor([-2.0, 0.2, 1.6]))
    tensor([-1.0000,  0.2000,  1.0000]))",
    .module = "nn",
    .rule = new RequireIntegerBounds,
    .cpu = choose(kernel_between<"hardtanh_cpu">),
    .npu = {"Hardtanh"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"min_val", Scalar> a,
                            In<"max_val", Scalar> b) { return op<"hardtanh_backward">(g, x, *a, *b); })},
});

}  // namespace
}  // namespace mt
