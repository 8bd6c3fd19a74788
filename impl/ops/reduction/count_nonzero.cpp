// count_nonzero: how many elements are not zero.
#include "rules/reduction/reducers.h"

namespace mt {
namespace {

Tensor compare_with_zero(const Tensor& self) { return self.dtype() == Dtype::boolean ? self : op<"ne">(self, 0); }

MT_OP(OpDef{
    .schema = {"count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor", "count_nonzero(Tensor self, int? dim=None) -> Tensor"},
    .forms = function | method,
    .doc = R"(Counts the elements that are not zero, of the whole tensor or along `dim`.

NaN counts as non-zero.

Args:
    self (Tensor): any shape and dtype.
    dim (int or tuple of ints, optional): the dimensions to count along. Default: all.

Returns:
    Tensor: int64, without the counted dimensions.

Example:
    >>> x = torch.tensor([[1, 0, 2], [0, 0, 3]])
    >>> torch.count_nonzero(x)
    tensor(3)
    >>> torch.count_nonzero(x, dim=1)
    tensor([2, 1]))",
    .composite = [](const Tensor& self, IntList dim) -> Tensor { return op<"sum.dim_IntList">(compare_with_zero(self), dim); },
    .grad = not_differentiable,
    .overloads = {overload("", {.composite = [](const Tensor& self, std::optional<int64_t> dim) -> Tensor {
                             return dim ? op<"sum.dim_IntList">(compare_with_zero(self), IntList{*dim})
                                        : op<"sum">(compare_with_zero(self));
                           }})},
});

}  // namespace
}  // namespace mt
