// native_norm: the norm of all elements of a sparse_coo tensor.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto compute_native_norm = [](const Tensor& self, std::optional<Scalar> p, IntList dim, bool keepdim,
                                        std::optional<Dtype> dtype) -> Tensor {
  bool all = dim.size() == self.dim();
  if (all) {
    Dims seen(self.dim(), 0);
    for (int64_t d : dim) all &= !std::exchange(seen[wrap_dim(d, self.dim())], 1);
  }
  check(dim.empty() || all,
        "norm_sparse currently only supports full reductions, so 'dim' must either be empty or contain all dimensions of the input");
  check(!keepdim, "norm_sparse currently does not support keepdim=True");
  check(!dtype, "norm_sparse currently does not support 'dtype' argument");
  check(!is_integral(self.dtype(), true), messages::norm_of_integers, self.dtype());
  BelowAutograd guard;
  return op<"linalg_vector_norm">(components_of(coalesce(self)).values, p.value_or(Scalar(2)), nullptr, false, nullptr);
};

MT_OP(OpDef{
    .schema = {"native_norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, ScalarType? dtype) -> Tensor",
               "native_norm(Tensor self, Scalar p=2) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the norm of order `p` of all elements of a sparse tensor, as of a vector.

``torch.norm`` calls it for sparse tensors. `dim` may only name all dimensions.

Args:
    self (Tensor): sparse COO tensor of a floating or complex dtype.
    p (number): order of the norm. Default: ``2``.
    dim (tuple of int): empty, or all dimensions.
    keepdim (bool): must be ``False``.
    dtype (torch.dtype, optional): must be ``None``.

Returns:
    Tensor: a strided tensor without dimensions.

Raises:
    RuntimeError: when `dim`, `keepdim` or `dtype` asks for more, or the dtype is an integer one.

Example:
    >>> torch.native_norm(torch.tensor([3.0, 0.0, 4.0]).to_sparse())
    tensor(5.))",
    .sparse = compute_native_norm,
    .grad = {wrt("self",
                 [](Grad g, In<"self"> self, In<"p", std::optional<Scalar>> p) -> Tensor {
                   const Scalar order = p.value.value_or(Scalar(2));
                   if (order.equals(0)) return {};
                   if (!order.equals(1)) refuse_sparse("pow_.Scalar");
                   return op<"sgn">(self) * g;
                 })},
    .grad_name = "NormBackward1",
    .overloads = {overload("", {.composite = [](const Tensor& self, const Scalar& p) -> Tensor {
                             return op<"native_norm.ScalarOpt_dim_dtype">(self, p, IntList(), false, nullptr);
                           }})},
});

}  // namespace
}  // namespace mt
