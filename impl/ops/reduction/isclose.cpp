// isclose, allclose: whether |self - other| <= atol + rtol * |other|.
#include "core/backend.h"
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto compute_isclose = [](const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) -> Tensor {
  check(a.dtype() == b.dtype(), "{} did not match {}", a.dtype(), b.dtype());
  check(rtol >= 0, "rtol must be greater than or equal to zero, but got {}", rtol);
  check(atol >= 0, "atol must be greater than or equal to zero, but got {}", atol);
  Tensor near = op<"eq">(a, b);
  if (equal_nan && is_differentiable(a.dtype())) near = op<"logical_or_">(near, op<"logical_and">(op<"isnan">(a), op<"isnan">(b)));
  if (rtol == 0 && atol == 0) return near;
  Tensor x = a, y = b;
  if (!is_differentiable(a.dtype())) x = op<"to.dtype">(a, default_dtype()), y = op<"to.dtype">(b, default_dtype());
  Tensor allowed = op<"abs">(y) * rtol + atol, difference = op<"abs">(x - y);
  return op<"logical_or_">(near, op<"logical_and">(op<"isfinite">(difference), op<"le">(difference, allowed)));
};

MT_OP(OpDef{
    .schema = {"isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor"},
    .forms = function | method,
    .doc = R"(Tests for each pair of elements whether |`self` - `other`| <= `atol` + `rtol` * |`other`|.

Not symmetric: `other` is the reference. Equal infinities are close, an infinity and a finite
number never. NaN is close to nothing, except to NaN with `equal_nan`. Broadcasts with `other`,
which needs the same dtype. No gradient.

Args:
    self (Tensor): what to test.
    other (Tensor): the reference, of the same dtype.
    rtol (float): relative tolerance, not negative. Default: ``1e-05``.
    atol (float): absolute tolerance, not negative. Default: ``1e-08``.
    equal_nan (bool): whether two NaN are close. Default: ``False``.

Returns:
    Tensor: bool, with the broadcast shape.

Raises:
    RuntimeError: when the dtypes differ or a tolerance is negative.

Example:
    >>> torch.isclose(torch.tensor([1.0, 2.0]), torch.tensor([1.000001, 2.1]))
    tensor([ True, False]))",
    .composite = [](const Tensor& a, const Tensor& b, double rtol, double atol, bool nan) -> Tensor {
      GradMode off(false);
      return compute_isclose(a, b, rtol, atol, nan);
    },
    .grad = not_differentiable,
});

constexpr auto compute_allclose = [](const Tensor& a, const Tensor& b, double rtol, double atol, bool nan) -> bool {
  BelowAutograd guard;
  const Tensor all = op<"all">(compute_isclose(a, b, rtol, atol, nan));
  check(!all.is_meta(), messages::item_of_meta_tensor);
  return *on_host(all).data<bool>();
};

[[noreturn]] void refuse_vmap(const BatchCall&) {
  fail(
      "vmap over torch.allclose isn't supported yet. Please file an issue at https://github.com/pytorch/pytorch/issues if you need this "
      "feature.");
}

MT_OP(OpDef{
    .schema = {"allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> bool"},
    .forms = function | method,
    .doc = R"(Tests whether all pairs of elements are close: |`self` - `other`| <= `atol` + `rtol` * |`other`|.

It is `torch.isclose`, which says more, followed by `torch.all`. True for empty tensors.

Args:
    self (Tensor): what to test.
    other (Tensor): the reference, of the same dtype; broadcasts.
    rtol (float): relative tolerance. Default: ``1e-05``.
    atol (float): absolute tolerance. Default: ``1e-08``.
    equal_nan (bool): whether two NaN are close. Default: ``False``.

Returns:
    bool: the answer.

Example:
    >>> torch.allclose(torch.tensor([1.0, 2.0]), torch.tensor([1.000001, 2.0]))
    True)",
    .rule = rule_after_check(refuse_meta_mixtures),
    .cpu = compute_allclose,
    .npu = {any_device},
    .meta = compute_allclose,
    .grad = not_differentiable,
    .batch = refuse_vmap,
});

}  // namespace
}  // namespace mt
