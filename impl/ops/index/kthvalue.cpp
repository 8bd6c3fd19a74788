// kthvalue: the k-th smallest element of each line along `dim`, and its index.
#include "rules/reduction/sorting.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)"},
    .forms = function | method | out,
    .form_overloads = {{"out", "values"}},
    .doc = R"(Returns the `k`-th smallest element of each line along a dimension, and its index.

NaN counts as the largest. Of equal elements any index may come back. The gradient goes to that
element.

Args:
    self (Tensor): tensor of a real dtype; not bool.
    k (int): which element, counted from 1.
    dim (int): dimension; negative counts from the last. Default: ``-1``.

Returns:
    (Tensor, Tensor): named tuple of values and int64 indices, without `dim` unless `keepdim` is
    set.

Raises:
    RuntimeError: when `k` is outside of ``[1, n]``.
    IndexError: when the dimension is empty.

Example:
    >>> torch.kthvalue(torch.tensor([5.0, 1.0, 3.0]), 2)
    torch.return_types.kthvalue(
    values=tensor(3.),
    indices=tensor(2)))",
    .rule = structured([](Specs& out, const Tensor& self, int64_t k, int64_t dim, bool keepdim) {
      const int64_t d = wrap_dim(dim, self.dim()), n = self.dim() ? self.size(d) : 1;
      if (self.dtype() == Dtype::boolean) not_implemented_for("kthvalue_cpu", self.dtype());
      check(n > 0, ErrorKind::index, "kthvalue(): Expected reduction dim {} to have non-zero size.", d);
      check(k >= 1 && k <= n, "kthvalue(): selected number k out of range for dimension {}", d);
      const Dims sizes = sizes_without(self, d, keepdim);
      out.add(sizes, self.dtype());
      out.add(sizes, Dtype::int64);
    }),
    .cpu =
        [](const Tensor& self, int64_t k, int64_t dim, bool, Tensor& values, Tensor& indices) {
          const int64_t d = wrap_dim(dim, self.dim());
          sort_along(self, d, 1, restore_reduced_dim(values, self, d), restore_reduced_dim(indices, self, d), "kthvalue_cpu",
                     [&]<class T>(Type<T>, int64_t rows, int64_t n, auto in, auto v, auto i) {
                       cpu::select_kth_of_rows<T>(rows, n, k - 1, in, v, i);
                     });
        },
    .npu = {"Kthvalue"},
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim, In<"keepdim", bool> keepdim,
                            Out<"indices"> i) { return scatter_single_selected_gradient(g, self, *dim, *keepdim, i); })},
    .out_policy = OutPolicy{.refuses_overlap = true},
});

}  // namespace
}  // namespace mt
