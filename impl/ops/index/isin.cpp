// isin: whether each element is among the test elements.
#include <vector>
#include "rules/pointwise.h"
#include "rules/rows.h"

namespace mt {
namespace {

constexpr auto contained = [](const Tensor& elements, const Tensor& tests, bool, bool invert) -> Tensor {
  for (const Tensor* t : {&elements, &tests})
    check(t->dtype() != Dtype::boolean && !is_complex(t->dtype()), "Unsupported input type encountered for isin(): {}", t->dtype());
  BelowAutograd guard;
  // One number stays as it is: it may be the host's where the others are a device's.
  Tensor hits = tests.dim() == 0 ? op<"eq">(elements, tests)
                 : elements.dim() == 0 ? op<"any">(op<"eq">(tests, elements))
                                 : op<"any.dim">(op<"eq">(op<"unsqueeze">(elements, -1), op<"reshape">(tests, IntList{-1})), -1);
  if (tests.numel() == 0) hits = op<"zeros">(elements.sizes(), Dtype::boolean, nullptr, elements.device());
  return invert ? op<"logical_not">(hits) : hits;
};

MT_OP(OpDef{
    .schema = {"isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor",
               "isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor",
               "isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor"},
    .forms = function | out,
    .doc = "Whether each element is among the test elements.",
    .cpu = contained,
    .npu = {any_device},
    .meta = contained,
    .grad = not_differentiable,
    .overloads = {overload("Tensor_Scalar", {.cpu = [](const Tensor& e, const Value& t, bool u, bool invert) -> Tensor {
                                               return contained(e, detail::tensor_of(t), u, invert);
                                             },
                                             .npu = {any_device},
                                             .meta = [](const Tensor& e, const Value& t, bool u, bool invert) -> Tensor {
                                               return contained(e, detail::tensor_of(t), u, invert);
                                             }}),
                  overload("Scalar_Tensor", {.cpu = [](const Value& e, const Tensor& t, bool u, bool invert) -> Tensor {
                             return contained(detail::tensor_of(e), t, u, invert);
                           },
                           .npu = {any_device}})},
});

}  // namespace
}  // namespace mt
