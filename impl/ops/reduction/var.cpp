// var, std: the variance over `dim`: squared deviations divided by n - `correction` (1 unless given).
#include "rules/reduction/variance.h"

namespace mt {
namespace {

constexpr auto infer_var_shape = [](Specs& out, const Tensor& self, std::optional<IntList> dim, std::optional<Scalar>, bool keepdim) {
  add_variance_spec(out, "std and var", self, dim, keepdim);
};

MT_OP(OpDef{
    .schema = {"var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the variance of all elements, or along `dim`.

Squared deviations from the mean are summed and divided by n - `correction`; 1 gives the unbiased
estimate, 0 the average. Where n - `correction` is 0 or less the result is NaN or infinite, with
a warning. Complex elements count with the squared modulus of the deviation. The older argument
`unbiased` means a correction of 1 or 0.

Args:
    self (Tensor): any shape; floating or complex.
    dim (int or tuple of ints, optional): the dimensions to reduce. Default: all.
    correction (number, optional): what is taken off the number of elements. Default: ``1``.
    unbiased (bool): True for a correction of 1, False for 0. Default: ``True``.

Returns:
    Tensor: without the reduced dimensions; real.

Raises:
    RuntimeError: when `self` is integer or bool.

Example:
    >>> torch.var(torch.tensor([1.0, 2.0, 3.0]))
    tensor(1.)
    >>> torch.var(torch.tensor([[1.0, 3.0], [2.0, 6.0]]), dim=1, correction=0)
    tensor([1., 4.]))",
    .rule = structured(infer_var_shape),
    .cpu = [](const Tensor& self, std::optional<IntList> dim, std::optional<Scalar> c, bool,
              Tensor& out) { reduce_variance<false>("var", self, dim, c, out); },
    .npu = {"VarCorrection(self, dim, correction:int, keepdim)"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"dim", std::optional<IntList>> dim, In<"correction", std::optional<Scalar>> c,
                            In<"keepdim", bool> keepdim) { return var_grad(g, x, *dim, *c, *keepdim); })},
    .grad_name = "VarBackward0",
});

MT_OP(OpDef{
    .schema = {"std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the standard deviation of all elements, or along `dim`: the square root of `torch.var`.

Squared deviations from the mean are summed, divided by n - `correction`, and the root is taken.
Where n - `correction` is 0 or less the result is NaN or infinite, with a warning. The older
argument `unbiased` means a correction of 1 or 0. The gradient is 0 where the deviation is 0.

Args:
    self (Tensor): any shape; floating or complex.
    dim (int or tuple of ints, optional): the dimensions to reduce. Default: all.
    correction (number, optional): what is taken off the number of elements. Default: ``1``.
    unbiased (bool): True for a correction of 1, False for 0. Default: ``True``.

Returns:
    Tensor: without the reduced dimensions; real.

Raises:
    RuntimeError: when `self` is integer or bool.

Example:
    >>> torch.std(torch.tensor([1.0, 2.0, 3.0]))
    tensor(1.)
    >>> torch.std(torch.tensor([[1.0, 3.0], [2.0, 6.0]]), dim=1, correction=0)
    tensor([1., 2.]))",
    .rule = structured(infer_var_shape),
    .cpu = [](const Tensor& self, std::optional<IntList> dim, std::optional<Scalar> c, bool,
              Tensor& out) { reduce_variance<true>("std", self, dim, c, out); },
    .npu = {"StdCorrection(self, dim, correction:int, keepdim)"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, Out<"result"> y, In<"dim", std::optional<IntList>> dim, In<"correction", std::optional<Scalar>> c,
                    In<"keepdim", bool> keepdim) { return std_grad(g, x, y, *dim, *c, *keepdim); })},
    .grad_name = "StdBackward0",
    .jvp = forward([](Tangent<"self"> t, In<"self"> x, Out<"result"> y, In<"dim", std::optional<IntList>> dim,
                      In<"correction", std::optional<Scalar>> c, In<"keepdim", bool> keepdim) {
      const Tensor parts = var_grad(op<"ones_like">(y), x, *dim, *c, *keepdim) * conj(t);
      const Tensor variance = op<"sum.dim_IntList">(is_complex(parts.dtype()) ? op<"real">(parts) : parts, *dim, *keepdim);
      return op<"masked_fill">(variance / (y * 2), op<"eq">(y, 0), 0);
    }),
});

template <Name N>
Tensor variance_by_bias_flag(const Tensor& self, std::optional<IntList> dim, bool biased_by_one, bool keepdim) {
  return op<N>(self, dim, Scalar(biased_by_one ? 1 : 0), keepdim);
}

MT_OP(OpDef{
    .schema = {"var(Tensor self, bool unbiased=True) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes the variance of all elements, or along `dim`.

Squared deviations from the mean are summed and divided by n - `correction`; 1 gives the unbiased
estimate, 0 the average. Where n - `correction` is 0 or less the result is NaN or infinite, with
a warning. Complex elements count with the squared modulus of the deviation. The older argument
`unbiased` means a correction of 1 or 0.

Args:
    self (Tensor): any shape; floating or complex.
    dim (int or tuple of ints, optional): the dimensions to reduce. Default: all.
    correction (number, optional): what is taken off the number of elements. Default: ``1``.
    unbiased (bool): True for a correction of 1, False for 0. Default: ``True``.

Returns:
    Tensor: without the reduced dimensions; real.

Raises:
    RuntimeError: when `self` is integer or bool.

Example:
    >>> torch.var(torch.tensor([1.0, 2.0, 3.0]))
    tensor(1.)
    >>> torch.var(torch.tensor([[1.0, 3.0], [2.0, 6.0]]), dim=1, correction=0)
    tensor([1., 4.]))",
    .composite = [](const Tensor& self, bool one) -> Tensor {
      return variance_by_bias_flag<"var.correction">(self, std::nullopt, one, false);
    },
});
MT_OP(OpDef{
    .schema = {"var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .form_overloads = {{"dim_out", "out"}},
    .doc = R"(Computes the variance of all elements, or along `dim`.

Squared deviations from the mean are summed and divided by n - `correction`; 1 gives the unbiased
estimate, 0 the average. Where n - `correction` is 0 or less the result is NaN or infinite, with
a warning. Complex elements count with the squared modulus of the deviation. The older argument
`unbiased` means a correction of 1 or 0.

Args:
    self (Tensor): any shape; floating or complex.
    dim (int or tuple of ints, optional): the dimensions to reduce. Default: all.
    correction (number, optional): what is taken off the number of elements. Default: ``1``.
    unbiased (bool): True for a correction of 1, False for 0. Default: ``True``.

Returns:
    Tensor: without the reduced dimensions; real.

Raises:
    RuntimeError: when `self` is integer or bool.

Example:
    >>> torch.var(torch.tensor([1.0, 2.0, 3.0]))
    tensor(1.)
    >>> torch.var(torch.tensor([[1.0, 3.0], [2.0, 6.0]]), dim=1, correction=0)
    tensor([1., 4.]))",
    .composite = [](const Tensor& self, std::optional<IntList> dim, bool one, bool keepdim) -> Tensor {
      return variance_by_bias_flag<"var.correction">(self, dim, one, keepdim);
    },
});

MT_OP(OpDef{
    .schema = {"std(Tensor self, bool unbiased=True) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes the standard deviation of all elements, or along `dim`: the square root of `torch.var`.

Squared deviations from the mean are summed, divided by n - `correction`, and the root is taken.
Where n - `correction` is 0 or less the result is NaN or infinite, with a warning. The older
argument `unbiased` means a correction of 1 or 0. The gradient is 0 where the deviation is 0.

Args:
    self (Tensor): any shape; floating or complex.
    dim (int or tuple of ints, optional): the dimensions to reduce. Default: all.
    correction (number, optional): what is taken off the number of elements. Default: ``1``.
    unbiased (bool): True for a correction of 1, False for 0. Default: ``True``.

Returns:
    Tensor: without the reduced dimensions; real.

Raises:
    RuntimeError: when `self` is integer or bool.

Example:
    >>> torch.std(torch.tensor([1.0, 2.0, 3.0]))
    tensor(1.)
    >>> torch.std(torch.tensor([[1.0, 3.0], [2.0, 6.0]]), dim=1, correction=0)
    tensor([1., 2.]))",
    .composite = [](const Tensor& self, bool one) -> Tensor {
      return variance_by_bias_flag<"std.correction">(self, std::nullopt, one, false);
    },
});
MT_OP(OpDef{
    .schema = {"std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .form_overloads = {{"dim_out", "out"}},
    .doc = R"(Computes the standard deviation of all elements, or along `dim`: the square root of `torch.var`.

Squared deviations from the mean are summed, divided by n - `correction`, and the root is taken.
Where n - `correction` is 0 or less the result is NaN or infinite, with a warning. The older
argument `unbiased` means a correction of 1 or 0. The gradient is 0 where the deviation is 0.

Args:
    self (Tensor): any shape; floating or complex.
    dim (int or tuple of ints, optional): the dimensions to reduce. Default: all.
    correction (number, optional): what is taken off the number of elements. Default: ``1``.
    unbiased (bool): True for a correction of 1, False for 0. Default: ``True``.

Returns:
    Tensor: without the reduced dimensions; real.

Raises:
    RuntimeError: when `self` is integer or bool.

Example:
    >>> torch.std(torch.tensor([1.0, 2.0, 3.0]))
    tensor(1.)
    >>> torch.std(torch.tensor([[1.0, 3.0], [2.0, 6.0]]), dim=1, correction=0)
    tensor([1., 2.]))",
    .composite = [](const Tensor& self, std::optional<IntList> dim, bool one, bool keepdim) -> Tensor {
      return variance_by_bias_flag<"std.correction">(self, dim, one, keepdim);
    },
});

}  // namespace
}  // namespace mt
