// norm: the p-norm; Python's torch.norm calls it.
#include "rules/reduction/norm.h"
#include "rules/reduction/reducers.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto norm_along_dims = [](const Tensor& self, std::optional<Scalar> p, IntList dim, bool keepdim) -> Tensor {
  BelowAutograd guard;
  return op<"linalg_vector_norm">(self, p.value_or(Scalar(2)), dim, keepdim);
};
constexpr auto norm_of_all = [](const Tensor& self, Scalar p) -> Tensor {
  BelowAutograd guard;
  return op<"linalg_vector_norm">(self, p);
};
constexpr auto norm_of_all_in_dtype = [](const Tensor& self, std::optional<Scalar> p, Dtype dtype) -> Tensor {
  BelowAutograd guard;
  return op<"linalg_vector_norm">(self, p.value_or(Scalar(2)), nullptr, false, dtype);
};
constexpr auto norm_along_dims_in_dtype = [](const Tensor& self, std::optional<Scalar> p, IntList dim, bool keepdim,
                                             Dtype dtype) -> Tensor {
  BelowAutograd guard;
  return op<"linalg_vector_norm">(self, p.value_or(Scalar(2)), dim, keepdim, dtype);
};

double order_of(const std::optional<Scalar>& p) { return p ? p->to_double() : 2; }
constexpr auto differentiate_norm_along_dims = [](Grad g, In<"self"> x, In<"p", std::optional<Scalar>> p, In<"dim", IntList> dim,
                                                  In<"keepdim", bool> keepdim,
                                                  Out<"result"> y) { return norm_gradient(g, x, order_of(*p), *dim, *keepdim, y); };
constexpr auto differentiate_norm_of_all = [](Grad g, In<"self"> x, In<"p", std::optional<Scalar>> p, Out<"result"> y) {
  return norm_gradient(g, x, order_of(*p), std::nullopt, false, y);
};

MT_OP(OpDef{
    .schema = {"norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor",
               "norm.Scalar(Tensor self, Scalar p=2) -> Tensor",
               "norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor",
               "norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor"},
    .forms = function | method | out,
    .form_overloads = {{"ScalarOpt_dim_dtype_out", "dtype_out"}, {"ScalarOpt_dim_out", "out"}},
    .doc = R"(Computes the p-norm of the elements, of the whole tensor or along `dim`.

This is the operator behind the Python function `torch.norm`, which adds the Frobenius and
nuclear norms; see there, and `torch.linalg.vector_norm` for the formula.

Args:
    self (Tensor): any shape; floating or complex.
    p (number, optional): the order of the norm. Default: ``2``.
    dim (int or tuple of ints): the dimensions to reduce. Default: all.

Returns:
    Tensor: without the reduced dimensions; real.

Example:
    >>> torch.norm(torch.tensor([[3.0, 4.0], [6.0, 8.0]]), dim=1)
    tensor([ 5., 10.]))",
    .cpu = norm_along_dims,
    .npu = {any_device},
    .meta = norm_along_dims,
    .grad = {wrt("self", differentiate_norm_along_dims)},
    .grad_name = "NormBackward1",
    .batch = batch_looped,
    .overloads =
        {overload("Scalar",
                  {.forms = function | method,
                   .cpu = norm_of_all,
                   .npu = {any_device},
                   .meta = norm_of_all,
                   .grad = {wrt("self", [](Grad g, In<"self"> x, In<"p", Scalar> p,
                                           Out<"result"> y) { return norm_gradient(g, x, (*p).to_double(), std::nullopt, false, y); })},
                   .grad_name = "NormBackward0"}),
         overload("ScalarOpt_dtype", {.forms = function | method,
                                      .cpu = norm_of_all_in_dtype,
                                      .npu = {any_device},
                                      .meta = norm_of_all_in_dtype,
                                      .grad = {wrt("self", differentiate_norm_of_all)},
                                      .grad_name = "NormBackward2"}),
         overload("ScalarOpt_dim_dtype",
                  {.cpu = norm_along_dims_in_dtype, .npu = {any_device}, .meta = norm_along_dims_in_dtype, .grad_name = "NormBackward3"})},
});

}  // namespace
}  // namespace mt
