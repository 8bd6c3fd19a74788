// msort: sorts the elements along the first dimension.
#include "rules/reduction/sorting.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"msort(Tensor self) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Returns the elements sorted along dimension 0, smallest first; ``torch.sort(self, 0).values``.

Args:
    self (Tensor): tensor of a real dtype or bool.

Returns:
    Tensor: a new tensor with the shape of `self`.

Example:
    >>> torch.msort(torch.tensor([[3, 1], [2, 4]]))
    tensor([[2, 1],
            [3, 4]]))",
    .composite = [](const Tensor& self) -> Tensor { return op<"sort", Tensors<2>>(self, 0)[0]; },
    .out_policy = OutPolicy{.recorded_as = "sort", .takes_strides = true},
});

}  // namespace
}  // namespace mt
