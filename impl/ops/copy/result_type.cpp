// result_type: the dtype that an operation on both would compute in.
#include "definition/op.h"
#include "rules/pointwise/pointwise.h"

namespace mt {
namespace {

Dtype result_type_of_tensors(const Tensor& a, const Tensor& b) {
  const Tensor operands[2] = {a, b};
  return result_type(operands, 2);
}

MT_OP(OpDef{
    .schema = {"result_type.Tensor(Tensor tensor, Tensor other) -> ScalarType",
               "result_type.Scalar(Tensor tensor, Scalar other) -> ScalarType",
               "result_type.Scalar_Tensor(Scalar scalar, Tensor tensor) -> ScalarType",
               "result_type.Scalar_Scalar(Scalar scalar1, Scalar scalar2) -> ScalarType"},
    .forms = function,
    .doc = R"(Returns the dtype that an operator on both arguments would compute in.

Tensors with dimensions decide. Tensors without dimensions, and after them numbers, only count where
they have a higher kind (bool, integer, floating, complex): an int8 vector and 1.5 give the default
dtype, an int8 vector and 1 int8.

Args:
    tensor (Tensor or number): one argument.
    other (Tensor or number): the other argument.
    scalar (number): one argument as a number.
    scalar1 (number): one argument of two numbers.
    scalar2 (number): the other argument of two numbers.

Returns:
    torch.dtype: the promoted dtype.

Example:
    >>> x = torch.tensor([1], dtype=torch.int8)
    >>> torch.result_type(x, 1), torch.result_type(x, 1.5)
    (torch.int8, torch.float32))",
    .composite = [](const Tensor& tensor, const Tensor& other) -> Dtype { return result_type_of_tensors(tensor, other); },
    .overloads = {overload("Scalar", {.composite = [](const Tensor& tensor, const Scalar& other) -> Dtype {
                             return result_type_of_tensors(tensor, wrapped_number(other));
                           }}),
                  overload("Scalar_Tensor", {.composite = [](const Scalar& scalar, const Tensor& tensor) -> Dtype {
                             return result_type_of_tensors(wrapped_number(scalar), tensor);
                           }}),
                  overload("Scalar_Scalar", {.composite = [](const Scalar& scalar1, const Scalar& scalar2) -> Dtype {
                             return result_type_of_tensors(wrapped_number(scalar1), wrapped_number(scalar2));
                           }})},
});

}  // namespace
}  // namespace mt
