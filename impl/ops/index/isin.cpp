// isin: whether each element is among the test elements.
#include "rules/pointwise/pointwise.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

Tensor find_elements_in(const Tensor& elements, const Tensor& tests, bool, bool invert) {
  for (const Tensor* t : {&elements, &tests})
    check(t->dtype() != Dtype::boolean && !is_complex(t->dtype()), "Unsupported input type encountered for isin(): {}", t->dtype());
  BelowAutograd guard;
  const Tensor both[] = {elements, tests};
  const Dtype d = result_type(both, 2);
  if (elements.dim() && tests.numel() > 16 && elements.device().is_cpu() && !visit_barebones_unsigned(d, [](auto) {})) {
    // Looks elements up in the sorted test elements. NaN equals nothing.
    Tensor flat = op<"to.dtype">(op<"reshape">(tests, IntList{-1}), d);
    if (is_floating(d)) flat = op<"masked_select">(flat, op<"eq">(flat, flat));
    if (flat.numel() <= 16) return find_elements_in(elements, flat, false, invert);
    const Tensor sorted = op<"sort.stable", Tensors<2>>(flat, false, 0, false)[0], wanted = op<"to.dtype">(elements, d);
    const Tensor found = op<"take">(sorted, op<"clamp">(op<"searchsorted.Tensor">(sorted, wanted), nullptr, sorted.numel() - 1));
    return invert ? op<"ne">(found, wanted) : op<"eq">(found, wanted);
  }
  // A 0-dim tensor is not moved to another device: it may be on the host while the other tensor is on a device.
  Tensor hits = tests.dim() == 0      ? op<"eq">(elements, tests)
                : elements.dim() == 0 ? op<"any">(op<"eq">(tests, elements))
                                      : op<"any.dim">(op<"eq">(op<"unsqueeze">(elements, -1), op<"reshape">(tests, IntList{-1})), -1);
  if (tests.numel() == 0) hits = op<"zeros">(elements.sizes(), Dtype::boolean, nullptr, elements.device());
  return invert ? op<"logical_not">(hits) : hits;
}

constexpr auto compute_isin = [](const Tensor& elements, const Tensor& tests, bool unique, bool invert) -> Tensor {
  return find_elements_in(elements, tests, unique, invert);
};

MT_OP(OpDef{
    .schema = {"isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor",
               "isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor",
               "isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor"},
    .forms = function | out,
    .doc = R"(Returns whether each element is among the test elements.

NaN is equal to nothing. Both sides are compared in their promoted dtype.

Args:
    elements (Tensor): elements to look for.
    test_elements (Tensor): elements to compare with.
    element (number): instead of `elements`, one number to look for.
    test_element (number): instead of `test_elements`, one number to compare with.
    assume_unique (bool): a promise that no element repeats on either side; the result is the same
        here. Default: ``False``.
    invert (bool): whether to return the opposite. Default: ``False``.

Returns:
    Tensor: bools in the shape of `elements`.

Raises:
    RuntimeError: when a dtype is bool or complex.

Example:
    >>> torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2, 5]))
    tensor([False,  True, False]))",
    .cpu = compute_isin,
    .npu = {any_device},
    .meta = compute_isin,
    .grad = not_differentiable,
    .overloads = {overload("Tensor_Scalar", {.cpu = [](const Tensor& e, const Value& t, bool u, bool invert) -> Tensor {
                                               return find_elements_in(e, detail::tensor_of(t), u, invert);
                                             },
                                             .npu = {any_device},
                                             .meta = [](const Tensor& e, const Value& t, bool u, bool invert) -> Tensor {
                                               return find_elements_in(e, detail::tensor_of(t), u, invert);
                                             }}),
                  overload("Scalar_Tensor", {.cpu = [](const Value& e, const Tensor& t, bool u, bool invert) -> Tensor {
                                               return find_elements_in(detail::tensor_of(e), t, u, invert);
                                             },
                                             .npu = {any_device}})},
});

}  // namespace
}  // namespace mt
