// _weight_norm, norm_except_dim: weights as a direction times a length per index of one dimension.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the norm over all dimensions but one, whose slices get a norm each.

Args:
    v (Tensor): any shape; floating.
    pow (int): the order of the norm. Default: ``2``.
    dim (int): the dimension that stays; -1 takes one norm over all. Default: ``0``.

Returns:
    Tensor: size 1 in all dimensions but `dim`; a scalar for ``dim=-1``.

Example:
    >>> torch.norm_except_dim(torch.tensor([[3.0, 4.0], [6.0, 8.0]]))
    tensor([[ 5.],
            [10.]]))",
    .composite = [](const Tensor& v, int64_t pow, int64_t dim) -> Tensor {
      if (dim == -1) return op<"norm.Scalar">(v, pow);
      Dims sizes(v.dim(), 1);
      if (dim == 0) {
        sizes[0] = v.size(wrap_dim(0, v.dim()));
        return op<"view">(op<"norm.ScalarOpt_dim">(op<"view">(op<"contiguous">(v), IntList{v.size(0), -1}), pow, IntList{1}, false), sizes);
      }
      if (dim == v.dim() - 1) {
        sizes[v.dim() - 1] = v.size(-1);
        return op<"view">(op<"norm.ScalarOpt_dim">(op<"view">(op<"contiguous">(v), IntList{-1, v.size(-1)}), pow, IntList{0}, false),
                          sizes);
      }
      return op<"transpose.int">(op<"norm_except_dim">(op<"transpose.int">(v, 0, dim), pow, 0), 0, dim);
    },
});

MT_OP(OpDef{
    .schema = {"_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor"},
    .forms = function,
    .doc = R"(Computes `v` * `g` / |`v`|, with the norm over all dimensions but `dim`.

Weight normalisation in torch.nn.utils uses it.)",
    .composite = [](const Tensor& v0, const Tensor& g0, int64_t dim) -> Tensor {
      const Tensor v = op<"contiguous">(v0), g = op<"contiguous">(g0);
      if (dim == 0 || dim == v.dim() - 1) return op<"_weight_norm_interface", Tensors<2>>(v, g, dim)[0];
      return v * (g / op<"norm_except_dim">(v, 2, dim));
    },
});

}  // namespace
}  // namespace mt
