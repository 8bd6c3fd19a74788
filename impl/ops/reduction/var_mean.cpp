// var_mean, std_mean: the variance (or standard deviation) and the mean.
#include "rules/form/exact_out.h"
#include "rules/reduction/variance.h"

namespace mt {
namespace {

constexpr auto infer_var_mean_shape = [](const Call& call, Specs& out, const Tensor& self, std::optional<IntList> dim,
                                         std::optional<Scalar>, bool keepdim) {
  add_variance_spec(out, call.op.schema.name.c_str(), self, dim, keepdim);
  out.add(reduced_sizes(self.sizes(), reduced_dims(dim, self.dim()), keepdim), self.dtype());
};
Tensor mean_below_autograd(const Tensor& self, std::optional<IntList> dim, bool keepdim) {
  BelowAutograd guard;
  return op<"mean.dim">(self, dim, keepdim);
}

MT_OP(OpDef{
    .schema = {"var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Computes the variance (``std_mean``: the standard deviation) and the mean.

Of all elements or along `dim`, as `torch.var`, `torch.std` and `torch.mean` do, which say more.

Args:
    self (Tensor): any shape; floating or complex.
    dim (int or tuple of ints, optional): the dimensions to reduce. Default: all.
    correction (number, optional): what is taken off the number of elements. Default: ``1``.
    unbiased (bool): True for a correction of 1, False for 0. Default: ``True``.

Returns:
    tuple of Tensor: the variance or deviation, real, and the mean; without the reduced
        dimensions.

Example:
    >>> torch.var_mean(torch.tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))
    >>> torch.std_mean(torch.tensor([[1.0, 3.0], [2.0, 6.0]]), dim=1, correction=0)
    (tensor([1., 2.]), tensor([2., 4.])))",
    .rule = structured_exact(infer_var_mean_shape),
    .cpu =
        [](const Tensor& self, std::optional<IntList> dim, std::optional<Scalar> c, bool keepdim, Tensor& spread, Tensor& mean) {
          reduce_variance<false>("var_mean", self, dim, c, spread);
          copy_into(mean, mean_below_autograd(self, dim, keepdim));
        },
    .npu = {"VarMean(self, dim, correction:int, keepdim)"},
    .grad = {wrt("self",
                 [](GradOf<0> g, GradOf<1> of_mean, In<"self"> x, In<"dim", std::optional<IntList>> dim,
                    In<"correction", std::optional<Scalar>> c, In<"keepdim", bool> keepdim) {
                   Tensor sum = g.defined() ? var_grad(g, x, *dim, *c, *keepdim) : Tensor();
                   if (!of_mean.defined()) return sum;
                   Tensor part = mean_grad(of_mean, x, *dim, *keepdim);
                   return sum.defined() ? sum + part : part;
                 })},
    .grad_name = "VarMeanBackward0",
});

MT_OP(OpDef{
    .schema = {"std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Computes the variance (``std_mean``: the standard deviation) and the mean.

Of all elements or along `dim`, as `torch.var`, `torch.std` and `torch.mean` do, which say more.

Args:
    self (Tensor): any shape; floating or complex.
    dim (int or tuple of ints, optional): the dimensions to reduce. Default: all.
    correction (number, optional): what is taken off the number of elements. Default: ``1``.
    unbiased (bool): True for a correction of 1, False for 0. Default: ``True``.

Returns:
    tuple of Tensor: the variance or deviation, real, and the mean; without the reduced
        dimensions.

Example:
    >>> torch.var_mean(torch.tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))
    >>> torch.std_mean(torch.tensor([[1.0, 3.0], [2.0, 6.0]]), dim=1, correction=0)
    (tensor([1., 2.]), tensor([2., 4.])))",
    .rule = structured_exact(infer_var_mean_shape),
    .cpu =
        [](const Tensor& self, std::optional<IntList> dim, std::optional<Scalar> c, bool keepdim, Tensor& spread, Tensor& mean) {
          reduce_variance<true>("std_mean", self, dim, c, spread);
          copy_into(mean, mean_below_autograd(self, dim, keepdim));
        },
    .npu = {"StdMeanCorrection(self, dim, correction:int, keepdim)"},
    .grad = {wrt("self",
                 [](GradOf<0> g, GradOf<1> of_mean, In<"self"> x, In<"dim", std::optional<IntList>> dim,
                    In<"correction", std::optional<Scalar>> c, In<"keepdim", bool> keepdim, Out<"result0"> y) {
                   Tensor sum = g.defined() ? std_grad(g, x, y, *dim, *c, *keepdim) : Tensor();
                   if (!of_mean.defined()) return sum;
                   Tensor part = mean_grad(of_mean, x, *dim, *keepdim);
                   return sum.defined() ? sum + part : part;
                 })},
    .grad_name = "StdMeanBackward0",
});

MT_OP(OpDef{
    .schema = {"var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",
               "std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Computes the variance (``std_mean``: the standard deviation) and the mean.

Of all elements or along `dim`, as `torch.var`, `torch.std` and `torch.mean` do, which say more.

Args:
    self (Tensor): any shape; floating or complex.
    dim (int or tuple of ints, optional): the dimensions to reduce. Default: all.
    correction (number, optional): what is taken off the number of elements. Default: ``1``.
    unbiased (bool): True for a correction of 1, False for 0. Default: ``True``.

Returns:
    tuple of Tensor: the variance or deviation, real, and the mean; without the reduced
        dimensions.

Example:
    >>> torch.var_mean(torch.tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))
    >>> torch.std_mean(torch.tensor([[1.0, 3.0], [2.0, 6.0]]), dim=1, correction=0)
    (tensor([1., 2.]), tensor([2., 4.])))",
    .composite = [](const Call& call, const Tensor& self, bool one) -> Tensors<2> {
      const std::optional<IntList> all;
      const std::optional<Scalar> c = Scalar(one ? 1 : 0);
      const bool var = call.op.schema.name == "var_mean";
      return var ? op<"var_mean.correction", Tensors<2>>(self, all, c, false) : op<"std_mean.correction", Tensors<2>>(self, all, c, false);
    },
});
MT_OP(OpDef{
    .schema = {"var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)",
               "std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Computes the variance (``std_mean``: the standard deviation) and the mean.

Of all elements or along `dim`, as `torch.var`, `torch.std` and `torch.mean` do, which say more.

Args:
    self (Tensor): any shape; floating or complex.
    dim (int or tuple of ints, optional): the dimensions to reduce. Default: all.
    correction (number, optional): what is taken off the number of elements. Default: ``1``.
    unbiased (bool): True for a correction of 1, False for 0. Default: ``True``.

Returns:
    tuple of Tensor: the variance or deviation, real, and the mean; without the reduced
        dimensions.

Example:
    >>> torch.var_mean(torch.tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))
    >>> torch.std_mean(torch.tensor([[1.0, 3.0], [2.0, 6.0]]), dim=1, correction=0)
    (tensor([1., 2.]), tensor([2., 4.])))",
    .composite = [](const Call& call, const Tensor& self, std::optional<IntList> dim, bool one, bool keepdim) -> Tensors<2> {
      const std::optional<Scalar> c = Scalar(one ? 1 : 0);
      const bool var = call.op.schema.name == "var_mean";
      return var ? op<"var_mean.correction", Tensors<2>>(self, dim, c, keepdim)
                 : op<"std_mean.correction", Tensors<2>>(self, dim, c, keepdim);
    },
});

}  // namespace
}  // namespace mt
