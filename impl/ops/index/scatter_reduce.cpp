// scatter_reduce: combines elements at indices along a dimension: sum, product, mean, largest or smallest.
#include "rules/form/in_place.h"
#include "rules/index/scatter.h"

namespace mt {
namespace {

constexpr auto compute_scatter_reduce = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Text reduce,
                                           bool include_self) -> Tensor {
  const Combine how = combine_of(reduce);
  check_scatter(self, dim, index, src);
  return scatter_reduced(self, dim, index, src, how, include_self, nullptr);
};

MT_OP(OpDef{
    .schema = {"scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Combines elements into lines along a dimension, by index: sum, product, mean, largest or smallest.

For two dimensions and `dim` 0 elements ``src[i][j]`` are combined into ``self[index[i][j]][j]``. A
mean counts the element of `self` too where `include_self` is set; without it, elements of `self`
that an index names are replaced. Elements that no index names stay. Where several elements are the
largest or smallest, they share the gradient.

Args:
    self (Tensor): tensor to combine with.
    dim (int): dimension that `index` runs along; negative counts from the last.
    index (Tensor): int64 or int32 indices in ``[0, self.size(dim))``; as many dimensions as `self`.
        In no dimension larger than `src`, nor than `self` except in `dim`.
    src (Tensor): elements to combine; dtype of `self`.
    reduce (str): ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
    include_self (bool): whether the elements of `self` take part. Default: ``True``.

Returns:
    Tensor: a new tensor with the shape of `self`; the in-place form returns `self`.

Raises:
    RuntimeError: when `reduce` is another name, an index is out of range (negative ones are too),
        or dtypes or shapes do not fit.

Example:
    >>> x, index = torch.zeros(3), torch.tensor([0, 0, 2])
    >>> x.scatter_reduce(0, index, torch.tensor([1.0, 4.0, -5.0]), "amax", include_self=False)
    tensor([ 4.,  0., -5.]))",
    .cpu = in_place_kernel(compute_scatter_reduce),
    .npu = {"ScatterReduce(self, dim, index, src, reduce=sum|prod|amax|amin|mean, include_self)"},
    .meta = compute_scatter_reduce,
    .grad = {wrt({"self", "src"},
                 [](Grad g, In<"self"> self, In<"dim", int64_t> dim, In<"index"> index, In<"src"> src, In<"reduce", Text> reduce,
                    In<"include_self", bool> include_self, Out<"result"> result, Wanted wanted) {
                   return scatter_reduced_gradient(g, self, *dim, index, src, combine_of(*reduce), *include_self, result, wanted);
                 })},
});

}  // namespace
}  // namespace mt
