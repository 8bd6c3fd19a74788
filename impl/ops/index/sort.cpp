// sort: sorts elements along `dim` and returns their indices; the sort is stable. NaN is the largest.
#include "rules/factory/factory.h"
#include "rules/form/exact_out.h"
#include "rules/reduction/sorting.h"

namespace mt {
namespace {

constexpr auto compute_sort = [](const Tensor& self, std::optional<bool>, int64_t dim, bool descending, Tensor& values, Tensor& indices) {
  const int64_t d = wrap_dim(dim, self.dim());
  sort_along<true>(self, d, self.dim() ? self.size(d) : 1, values, indices, "sort",
                   [&]<class T>(Type<T>, int64_t rows, int64_t n, auto in, auto v, auto i) {
                     cpu::sort_rows<T>(rows, n, in, descending, v, i);
                   });
};

constexpr auto infer_sort_shape = [](Specs& out, const Tensor& self, std::optional<bool>, int64_t dim, bool) {
  wrap_dim(dim, self.dim());
  check(!is_complex(self.dtype()), " Sort does not support complex dtypes on CPU");
  const Dims strides = strides_like(self);
  out.add_strided(self.sizes(), strides, self.dtype());
  out.add_strided(self.sizes(), strides, Dtype::int64);
};

MT_OP(OpDef{
    .schema = {"sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)"},
    .forms = function | method | out,
    .form_overloads = {{"out", "values"}},
    .doc = R"(Returns the elements sorted along a dimension, and where they were.

NaN counts as the largest. Without ``stable=True`` do not rely on the order of equal elements. The
gradient goes back to where an element was.

Args:
    self (Tensor): tensor of a real dtype or bool.
    dim (int): dimension to sort along; negative counts from the last. Default: ``-1``.
    descending (bool): whether the largest comes first. Default: ``False``.
    stable (bool): whether equal elements keep their order. Default: ``False``.

Returns:
    (Tensor, Tensor): named tuple of values and int64 indices, in the shape of `self`.

Raises:
    RuntimeError: when `self` is complex.

Example:
    >>> values, indices = torch.sort(torch.tensor([3, 1, 2]))
    >>> values, indices
    (tensor([1, 2, 3]), tensor([1, 2, 0])))",
    .rule = structured_exact([](Specs& out, const Tensor& self, int64_t dim, bool descending) {
      infer_sort_shape(out, self, std::nullopt, dim, descending);
    }),
    .cpu = [](const Tensor& self, int64_t dim, bool descending, Tensor& v,
              Tensor& i) { compute_sort(self, std::nullopt, dim, descending, v, i); },
    .npu = {"Sort(self, 0, dim, descending)"},
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim,
                            Out<"indices"> i) { return scatter_selected_gradient(g, self, *dim, i); })},
});

MT_OP(OpDef{
    .schema = {"sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)"},
    .forms = function | method | out,
    .form_overloads = {{"stable_out", "values_stable"}},
    .doc = R"(Returns the elements sorted along a dimension, and where they were; equal elements keep their order.

NaN counts as the largest. The gradient goes back to where an element was.

Args:
    self (Tensor): tensor of a real dtype or bool.
    stable (bool): whether equal elements keep their order.
    dim (int): dimension to sort along; negative counts from the last. Default: ``-1``.
    descending (bool): whether the largest comes first. Default: ``False``.

Returns:
    (Tensor, Tensor): named tuple of values and int64 indices, in the shape of `self`.

Raises:
    RuntimeError: when `self` is complex.

Example:
    >>> torch.sort(torch.tensor([1, 0, 1, 0]), stable=True).indices
    tensor([1, 3, 0, 2]))",
    .rule = structured_exact(infer_sort_shape),
    .cpu = compute_sort,
    .npu = {"Sort(self, stable, dim, descending)"},
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim,
                            Out<"indices"> i) { return scatter_selected_gradient(g, self, *dim, i); })},
    .grad_name = "SortBackward1",
});

}  // namespace
}  // namespace mt
