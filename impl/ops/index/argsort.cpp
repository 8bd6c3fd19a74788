// argsort: the indices that sort the elements.
#include "rules/reduction/sorting.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor",
               "argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor"},
    .forms = function | method,
    .doc = R"(Returns the indices that sort `self` along a dimension.

It is ``torch.sort(...).indices``: ``self.gather(dim, result)`` is sorted. NaN counts as the
largest. Without ``stable=True`` do not rely on the order of equal elements.

Args:
    self (Tensor): tensor of a real dtype or bool.
    dim (int): dimension to sort along; negative counts from the last. Default: ``-1``.
    descending (bool): whether the largest comes first. Default: ``False``.
    stable (bool): whether equal elements keep their order. Default: ``False``.

Returns:
    Tensor: int64 indices in the shape of `self`.

Raises:
    RuntimeError: when `self` is complex.

Example:
    >>> torch.argsort(torch.tensor([3, 1, 2]))
    tensor([1, 2, 0]))",
    .composite = [](const Tensor& self, int64_t dim, bool descending) -> Tensor {
      return op<"sort", Tensors<2>>(self, dim, descending)[1];
    },
    .overloads = {overload("stable", {.forms = function | method | out,
                                      .composite = [](const Tensor& self, bool stable, int64_t dim, bool descending) -> Tensor {
                                        return op<"sort.stable", Tensors<2>>(self, stable, dim, descending)[1];
                                      },
                                      .out_policy = OutPolicy{}})},
});

}  // namespace
}  // namespace mt
