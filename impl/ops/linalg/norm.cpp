// linalg_norm: the norm of a vector or a matrix, depending on `ord` and `dim`.
#include "rules/linalg/linalg.h"

namespace mt {
namespace {

void check_dims_for_order(const Tensor& a, std::optional<IntList> dim, bool ordered) {
  if (dim)
    check(dim->size() == 1 || dim->size() == 2, "linalg.norm: If dim is specified, it must be of length 1 or 2. Got {}", *dim);
  else if (ordered)
    check(a.dim() == 1 || a.dim() == 2, "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {}D.", a.dim());
}
IntList matrix_dims_or_default(std::optional<IntList> dim) {
  static constexpr int64_t first_two[] = {0, 1};
  return dim ? *dim : IntList(first_two, 2);
}

constexpr auto norm_by_number = [](const Tensor& a, std::optional<Scalar> order, std::optional<IntList> dim, bool keepdim,
                                   std::optional<Dtype> dtype) -> Tensor {
  check_dims_for_order(a, dim, order.has_value());
  if (order && (dim ? dim->size() == 2 : a.dim() == 2))
    return op<"linalg_matrix_norm">(a, *order, matrix_dims_or_default(dim), keepdim, dtype);
  return op<"linalg_vector_norm">(a, order.value_or(Scalar(2.0)), dim, keepdim, dtype);
};
constexpr auto norm_by_name = [](const Tensor& a, Text order, std::optional<IntList> dim, bool keepdim,
                                 std::optional<Dtype> dtype) -> Tensor {
  check_dims_for_order(a, dim, true);
  return op<"linalg_matrix_norm.str_ord">(a, order, matrix_dims_or_default(dim), keepdim, dtype);
};

MT_OP(OpDef{
    .schema = {"linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
               "dtype=None) -> Tensor",
               "linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
               "dtype=None) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes a norm of a vector or of matrices, as `ord` and `dim` say.

Without `ord` it is the 2-norm of all elements, or of those along `dim`. With `ord`, one
dimension, in `dim` or in the tensor, means `torch.linalg.vector_norm`, two mean
`torch.linalg.matrix_norm`, where 2 is the largest singular value.

Args:
    self (Tensor): any shape, one or two dimensions with `ord` and without `dim`; floating or
        complex.
    ord (number or str, optional): the order, as these functions take it. Default: ``None``.
    dim (int or tuple of ints, optional): one or two dimensions. Default: all.
    dtype (torch.dtype, optional): computes in this dtype; not narrower than that of `self`.
        Default: ``None``.

Returns:
    Tensor: without the reduced dimensions; real.

Raises:
    RuntimeError: when `dim` has more than two dimensions, or the order is none of theirs.

Example:
    >>> torch.linalg.norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    >>> torch.linalg.norm(torch.tensor([[3.0, 0.0], [0.0, 4.0]]), ord=2)
    tensor(4.))",
    .module = "linalg",
    .composite = norm_by_number,
    .out_policy =
        OutPolicy{.dtype_error = "linalg.norm expected out tensor dtype {} but got: {}",
                  .device_error =
                      "linalg.norm: Expected result and input tensors to be on the same device, but got result on {0} and input on {1}",
                  .recorded_as = written_as_leaf},
    .overloads = {overload("ord_str", {.composite = norm_by_name})},
});

}  // namespace
}  // namespace mt
