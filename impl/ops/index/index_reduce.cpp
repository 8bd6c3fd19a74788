// index_reduce: combines slices at the positions in an index vector: product, mean, largest or smallest.
#include "core/warn_once.h"
#include "rules/form/in_place.h"
#include "rules/index/scatter.h"
#include "vmap/rule.h"

namespace mt {
namespace {

Combine parse_reduction(Text reduce) {
  const bool known = reduce == "prod" || reduce == "mean" || reduce == "amax" || reduce == "amin";
  check(known, "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {}.", text_arg(reduce));
  return combine_of(reduce);
}
void check_arguments(const Tensor& self, int64_t d, const Tensor& index, const Tensor& source) {
  check(index.dim() <= 1, ErrorKind::index, "index_reduce_(): Index is supposed to be a vector, but got dim: {} with type: {} and size: {}",
        index.dim(), index.dtype(), index.sizes());
  check(index.dtype() == Dtype::int64 || index.dtype() == Dtype::int32, "index_reduce_(): Expected dtype int32/int64 for index but got: {}",
        index.dtype());
  check(self.dtype() == source.dtype(), "index_reduce_(): self ({}) and source ({}) must have the same scalar type", self.dtype(),
        source.dtype());
  check_slice_count("index_reduce_", index, source, d);
  check_same_slices(self, source, d);
}

constexpr auto compute_index_reduce = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Text reduce,
                                         bool include_self) -> Tensor {
  BelowAutograd guard;
  const Combine how = parse_reduction(reduce);
  const int64_t d = wrap_dim(dim, self.dim());
  check_arguments(self, d, index, source);
  static std::atomic<bool> given;
  warn_once(given, "index_reduce() is in beta and the API may change at any time.");
  if (self.dtype() == Dtype::boolean || is_complex(self.dtype())) not_implemented_for("index_func_", self.dtype());
  if (!self.is_meta()) index_positions(index, self.dim() ? self.size(d) : 1);  // an IndexError here, a RuntimeError in scatter
  return scatter_reduced(self, d, expand_index(index, d, source), source, how, include_self, "index_func_");
};

MT_OP(OpDef{
    .schema = {"index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Combines slices of `source` into the slices of `self` that `index` names.

For `dim` 0 and `reduce` ``"prod"``: ``self[index[i]] *= source[i]``. A mean counts the slice of
`self` too where `include_self` is set; without it, slices of `self` that an index names are
replaced. The first call warns that the interface may change.

Args:
    self (Tensor): tensor to write to.
    dim (int): dimension that `index` counts along; negative counts from the last.
    index (Tensor): vector of int64 or int32 indices in ``[0, self.size(dim))``; they may repeat.
    source (Tensor): slices to combine, one for each index; dtype of `self`, and its sizes in the
        other dimensions.
    reduce (str): ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
    include_self (bool): whether the elements of `self` take part. Default: ``True``.

Returns:
    Tensor: a new tensor with the shape of `self`; the in-place form returns `self`.

Raises:
    IndexError: when an index is out of range or `index` is not a vector.
    RuntimeError: when `reduce` is another name, or dtypes or shapes do not fit.

Example:
    >>> x = torch.tensor([1.0, 5.0])
    >>> x.index_reduce(0, torch.tensor([0, 0]), torch.tensor([2.0, 3.0]), "amax")
    tensor([3., 5.]))",
    .cpu = in_place_kernel(compute_index_reduce),
    .meta = compute_index_reduce,
    .grad = {wrt({"self", "source"},
                 [](Grad g, In<"self"> self, In<"dim", int64_t> dim, In<"index"> index, In<"source"> source, In<"reduce", Text> reduce,
                    In<"include_self", bool> include_self, Out<"result"> result, Wanted wanted) {
                   const int64_t d = wrap_dim(*dim, self.dim());
                   return scatter_reduced_gradient(g, self, d, expand_index(index, d, source), source, parse_reduction(*reduce),
                                                   *include_self, result, wanted);
                 })},
    .batch = batch_looped,
});

}  // namespace
}  // namespace mt
