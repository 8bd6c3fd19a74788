// where: elements of `self` where `condition` is true, of `other` elsewhere.
#include "core/warn_once.h"
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/narrow_dtypes.h"
#include "rules/pointwise/pointwise_layout.h"
#include "rules/pointwise/scalar_math.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto choose_element = [](auto condition, auto a, auto b) { return condition != decltype(a)(0) ? a : b; };

// The condition takes no part in type promotion, which determines the dtype of `self` and `other`.
constexpr auto compute_where = [](const Tensor& condition, const Tensor& self, const Tensor& other) -> Tensor {
  check(condition.dtype() == Dtype::boolean || condition.dtype() == Dtype::uint8,
        "where expected condition to be a boolean tensor, but got a tensor with dtype {}", condition.dtype());
  static std::atomic<bool> given;
  if (condition.dtype() == Dtype::uint8)
    warn_once(
        given,
        "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of PyTorch. Use a "
        "boolean condition instead.");
  const Tensor inputs[] = {condition, self, other};
  const Dtype dtype = result_type(inputs + 1, 2);
  Device device = condition.device();
  for (const Tensor& t : inputs)
    if (!t.device().is_cpu()) device = t.device();
  Tensor out = empty_result_of(inputs, 3, dtype, device);
  if (out.is_meta()) return out;
  for (const Tensor& t : {self, other})
    if (t->wrapped_number && t.device().is_cpu()) Scalar::load(t.dtype(), t.data()).check_fits(is_half(dtype) ? Dtype::float32 : dtype);
  static const PointwiseKernel loops =
      elementwise<choose_element, 3, dtypes::all | dtypes::barebones_unsigned | dtypes::float8 | dtypes::complex_half>("where_cpu");
  run_pointwise(loops, dtype, out, inputs, 3);
  return out;
};

MT_OP(OpDef{
    .schema = {"where.self(Tensor condition, Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Takes elements of `self` where `condition` is true, of `other` elsewhere.

The three broadcast; `self` and `other` are promoted to one dtype. The gradient goes to the
tensor whose element was taken and is 0 for the other; a derivative further back that is infinite
there makes it NaN (0 * inf). With `condition` alone the call returns the indices of the true
elements, one int64 tensor a dimension, as ``torch.nonzero(condition, as_tuple=True)`` does.

Args:
    condition (Tensor): bool.
    self (Tensor or number): taken where true. As a method: ``self.where(condition, other)``.
    other (Tensor or number): taken where false.

Returns:
    Tensor: the broadcast shape, in the promoted dtype of `self` and `other`; or a tuple of index
        tensors.

Raises:
    RuntimeError: when `condition` is not bool.

Example:
    >>> x = torch.tensor([-1.0, 2.0, -3.0])
    >>> torch.where(x > 0, x, 0.0)
    tensor([0., 2., 0.])
    >>> torch.where(x < 0)
    (tensor([0, 2]),))",
    .rule = rule_after_check(refuse_meta_mixtures),
    .cpu = compute_where,
    .npu = {"SWhere"},
    .meta = compute_where,
    .grad = {wrt("self", [](Grad g, In<"condition"> c) { return op<"where">(c, g, 0); }),
             wrt("other", [](Grad g, In<"condition"> c) { return op<"where">(c, 0, g); })},
    .batch = batch_aligned,
});

MT_OP(OpDef{
    .schema = {"where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor",
               "where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor",
               "where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor"},
    .forms = function,
    .doc = R"(Takes elements of `self` where `condition` is true, of `other` elsewhere.

The three broadcast; `self` and `other` are promoted to one dtype. The gradient goes to the
tensor whose element was taken and is 0 for the other; a derivative further back that is infinite
there makes it NaN (0 * inf). With `condition` alone the call returns the indices of the true
elements, one int64 tensor a dimension, as ``torch.nonzero(condition, as_tuple=True)`` does.

Args:
    condition (Tensor): bool.
    self (Tensor or number): taken where true. As a method: ``self.where(condition, other)``.
    other (Tensor or number): taken where false.

Returns:
    Tensor: the broadcast shape, in the promoted dtype of `self` and `other`; or a tuple of index
        tensors.

Raises:
    RuntimeError: when `condition` is not bool.

Example:
    >>> x = torch.tensor([-1.0, 2.0, -3.0])
    >>> torch.where(x > 0, x, 0.0)
    tensor([0., 2., 0.])
    >>> torch.where(x < 0)
    (tensor([0, 2]),))",
    .composite = [](const Tensor& c, const Value& a, const Value& b) -> Tensor {
      return op<"where.self">(c, detail::tensor_of(a), detail::tensor_of(b));
    },
    .overloads = {overload("ScalarOther", {.forms = function | method})},
});

MT_OP(OpDef{
    .schema = {"where(Tensor condition) -> Tensor[]"},
    .forms = function,
    .doc = R"(Takes elements of `self` where `condition` is true, of `other` elsewhere.

The three broadcast; `self` and `other` are promoted to one dtype. The gradient goes to the
tensor whose element was taken and is 0 for the other; a derivative further back that is infinite
there makes it NaN (0 * inf). With `condition` alone the call returns the indices of the true
elements, one int64 tensor a dimension, as ``torch.nonzero(condition, as_tuple=True)`` does.

Args:
    condition (Tensor): bool.
    self (Tensor or number): taken where true. As a method: ``self.where(condition, other)``.
    other (Tensor or number): taken where false.

Returns:
    Tensor: the broadcast shape, in the promoted dtype of `self` and `other`; or a tuple of index
        tensors.

Raises:
    RuntimeError: when `condition` is not bool.

Example:
    >>> x = torch.tensor([-1.0, 2.0, -3.0])
    >>> torch.where(x > 0, x, 0.0)
    tensor([0., 2., 0.])
    >>> torch.where(x < 0)
    (tensor([0, 2]),))",
    .composite = [](const Tensor& condition) -> std::vector<Tensor> { return op<"nonzero_numpy", std::vector<Tensor>>(condition); },
    .batch = batch_dynamic,
});

}  // namespace
}  // namespace mt
