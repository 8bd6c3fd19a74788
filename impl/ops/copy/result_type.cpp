// result_type: the dtype that an operation on both would compute in.
#include "op.h"
#include "rules/pointwise.h"

namespace mt {
namespace {

Dtype of_two(const Tensor& a, const Tensor& b) {
  const Tensor operands[2] = {a, b};
  return result_type(operands, 2);
}

MT_OP(OpDef{
    .schema = {"result_type.Tensor(Tensor tensor, Tensor other) -> ScalarType",
               "result_type.Scalar(Tensor tensor, Scalar other) -> ScalarType",
               "result_type.Scalar_Tensor(Scalar scalar, Tensor tensor) -> ScalarType",
               "result_type.Scalar_Scalar(Scalar scalar1, Scalar scalar2) -> ScalarType"},
    .forms = function,
    .doc = "The dtype that an operation on both would compute in.",
    .composite = [](const Tensor& tensor, const Tensor& other) -> Dtype { return of_two(tensor, other); },
    .overloads = {overload("Scalar", {.composite = [](const Tensor& tensor, const Scalar& other) -> Dtype {
                             return of_two(tensor, wrapped_number(other));
                           }}),
                  overload("Scalar_Tensor", {.composite = [](const Scalar& scalar, const Tensor& tensor) -> Dtype {
                             return of_two(wrapped_number(scalar), tensor);
                           }}),
                  overload("Scalar_Scalar", {.composite = [](const Scalar& scalar1, const Scalar& scalar2) -> Dtype {
                             return of_two(wrapped_number(scalar1), wrapped_number(scalar2));
                           }})},
});

}  // namespace
}  // namespace mt
