// median: the lower of the two middle elements; NaN if there is one.
#include "rules/form/exact_out.h"
#include "rules/reduction/medians.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"median(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes the median of all elements, or of each line along `dim`.

It is the lower of both middle elements in order. A NaN gives NaN, and so does an empty tensor.
With `dim` the index of an element that equals the median comes too. The gradient goes to that
element; without `dim` equal ones share it. For the average of both middle elements see
`torch.quantile`.

Args:
    self (Tensor): any shape; not complex and not bool.
    dim (int): the dimension to reduce.

Returns:
    Tensor or tuple of Tensor: the median; with `dim` ``values`` and ``indices`` (int64).

Example:
    >>> torch.median(torch.tensor([1.0, 4.0, 2.0, 3.0]))
    tensor(2.)
    >>> torch.median(torch.tensor([[3, 1, 2], [6, 5, 4]]), dim=1).values
    tensor([2, 5]))",
    .rule = structured_exact([](Specs& out, const Tensor& self) { out.add({}, self.dtype()); }),
    .cpu = [](const Tensor& self, Tensor& out) { median_of_all<false>(self, out); },
    .npu = {"Median"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, Out<"result"> y) { return median_gradient(g, x, y); })},
});
MT_OP(OpDef{
    .schema = {"median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"},
    .forms = function | method | out,
    .form_overloads = {{"dim_out", "dim_values"}},
    .doc = R"(Computes the median of all elements, or of each line along `dim`.

It is the lower of both middle elements in order. A NaN gives NaN, and so does an empty tensor.
With `dim` the index of an element that equals the median comes too. The gradient goes to that
element; without `dim` equal ones share it. For the average of both middle elements see
`torch.quantile`.

Args:
    self (Tensor): any shape; not complex and not bool.
    dim (int): the dimension to reduce.

Returns:
    Tensor or tuple of Tensor: the median; with `dim` ``values`` and ``indices`` (int64).

Example:
    >>> torch.median(torch.tensor([1.0, 4.0, 2.0, 3.0]))
    tensor(2.)
    >>> torch.median(torch.tensor([[3, 1, 2], [6, 5, 4]]), dim=1).values
    tensor([2, 5]))",
    .rule = structured_exact([](Specs& out, const Tensor& self, int64_t dim, bool keepdim) {
      median_shape(out, "median", self, dim, keepdim);
    }),
    .cpu = [](const Tensor& self, int64_t dim, bool, Tensor& values,
              Tensor& indices) { median_along<false>(self, wrap_dim(dim, self.dim()), values, indices, "median_out"); },
    .npu = {"MedianDim"},
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim, In<"keepdim", bool> keepdim,
                            Out<"indices"> i) { return scatter_single_selected_gradient(g, self, *dim, *keepdim, i); })},
    .grad_name = "MedianBackward1",
});

}  // namespace
}  // namespace mt
