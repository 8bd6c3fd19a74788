// topk: the k largest (or smallest) elements along `dim` and their indices.
#include "rules/form/exact_out.h"
#include "rules/reduction/sorting.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)"},
    .forms = function | method | out,
    .form_overloads = {{"out", "values"}},
    .doc = R"(Returns the `k` largest or smallest elements of each line along a dimension, and their indices.

NaN counts as the largest. Of equal elements at the limit any may come back. The gradient goes to
the elements that were chosen.

Args:
    self (Tensor): tensor of a real dtype; not bool.
    k (int): how many; at most the size of the dimension.
    dim (int): dimension; negative counts from the last. Default: ``-1``.
    largest (bool): whether the largest are wanted, otherwise the smallest. Default: ``True``.
    sorted (bool): whether they come in order, the most extreme first; here they always do. Default:
        ``True``.

Returns:
    (Tensor, Tensor): named tuple of values and int64 indices; dimension `dim` has size `k`.

Raises:
    RuntimeError: when `k` is out of range or `self` is bool or complex.

Example:
    >>> values, indices = torch.topk(torch.tensor([1.0, 4.0, 2.0, 3.0]), 2)
    >>> values, indices
    (tensor([4., 3.]), tensor([1, 3])))",
    .rule = structured_exact([](Specs& out, const Tensor& self, int64_t k, int64_t dim, bool, bool) {
      check(!is_complex(self.dtype()), " topk does not support complex dtypes on CPU");
      check(self.dtype() != Dtype::boolean, "topk does not support bool dtypes on CPU");
      const int64_t d = wrap_dim(dim, self.dim());
      check(k >= 0 && k <= (self.dim() ? self.size(d) : 1), "selected index k out of range");
      Dims sizes(self.sizes());
      if (self.dim()) sizes[d] = k;
      out.add(sizes, self.dtype());
      out.add(sizes, Dtype::int64);
    }),
    .cpu =
        [](const Tensor& self, int64_t k, int64_t dim, bool largest, bool, Tensor& values, Tensor& indices) {
          sort_along(self, wrap_dim(dim, self.dim()), self.dim() ? k : 1, values, indices, "topk_cpu",
                     [&]<class T>(Type<T>, int64_t rows, int64_t n, auto in, auto v, auto i) {
                       cpu::select_top_of_rows<T>(rows, n, k, in, largest, v, i);
                     });
        },
    .npu = {"Topk"},
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim,
                            Out<"indices"> i) { return scatter_selected_gradient(g, self, *dim, i); })},
});

}  // namespace
}  // namespace mt
