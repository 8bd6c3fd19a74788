// nanmedian: the lower of the two middle elements, ignoring NaN.
#include "rules/form/exact_out.h"
#include "rules/reduction/medians.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"nanmedian(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes the median of the elements that are not NaN, of all or of each line along `dim`.

As `torch.median`, but NaN is left out; NaN alone gives NaN.

Args:
    self (Tensor): any shape; not complex and not bool.
    dim (int): the dimension to reduce.

Returns:
    Tensor or tuple of Tensor: the median; with `dim` ``values`` and ``indices`` (int64).

Example:
    >>> torch.nanmedian(torch.tensor([1.0, float("nan"), 3.0, 2.0]))
    tensor(2.))",
    .rule = structured_exact([](Specs& out, const Tensor& self) { out.add({}, self.dtype()); }),
    .cpu = [](const Tensor& self, Tensor& out) { median_of_all<true>(self, out); },
    .npu = {"NanMedian"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, Out<"result"> y) { return median_gradient(g, x, y); })},
});
MT_OP(OpDef{
    .schema = {"nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"},
    .forms = function | method | out,
    .form_overloads = {{"dim_out", "dim_values"}},
    .doc = R"(Computes the median of the elements that are not NaN, of all or of each line along `dim`.

As `torch.median`, but NaN is left out; NaN alone gives NaN.

Args:
    self (Tensor): any shape; not complex and not bool.
    dim (int): the dimension to reduce.

Returns:
    Tensor or tuple of Tensor: the median; with `dim` ``values`` and ``indices`` (int64).

Example:
    >>> torch.nanmedian(torch.tensor([1.0, float("nan"), 3.0, 2.0]))
    tensor(2.))",
    .rule = structured_exact([](Specs& out, const Tensor& self, int64_t dim, bool keepdim) {
      median_shape(out, "median", self, dim, keepdim);
    }),
    .cpu = [](const Tensor& self, int64_t dim, bool, Tensor& values,
              Tensor& indices) { median_along<true>(self, wrap_dim(dim, self.dim()), values, indices, "median_out"); },
    .npu = {"NanMedianDim"},
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim, In<"keepdim", bool> keepdim,
                            Out<"indices"> i) { return scatter_single_selected_gradient(g, self, *dim, *keepdim, i); })},
    .grad_name = "NanmedianBackward1",
});

}  // namespace
}  // namespace mt
