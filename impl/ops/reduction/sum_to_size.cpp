// sum_to_size: sums over broadcast dimensions, so that the result has `size`.
#include "rules/reduction/reducers.h"
#include "rules/reduction/reduction.h"

namespace mt {
namespace {

// Reverses broadcasting: sums leading dimensions and those of size 1.
MT_OP(OpDef{
    .schema = {"sum_to_size(Tensor self, SymInt[] size) -> Tensor"},
    .forms = method,
    .doc = R"(Sums over the dimensions that a broadcast from `size` added or stretched.

It undoes ``expand``: leading dimensions and those where `size` has 1 are summed. A tensor that
has `size` already is returned itself.

Args:
    self (Tensor): a shape that `size` broadcasts to.
    size (int...): the shape to sum to.

Returns:
    Tensor: shape `size`, in the dtype of `self`.

Raises:
    RuntimeError: when `size` does not broadcast to the shape of `self`.

Example:
    >>> torch.ones(2, 3).sum_to_size(1, 3)
    tensor([[2., 2., 2.]]))",
    .composite = [](const Tensor& self, IntList size) -> Tensor {
      if (size.size() == 0) return op<"sum">(self);
      const int64_t extra = self.dim() - size.size();
      bool expandable = extra >= 0;
      Dims dims;
      for (int64_t d = 0; expandable && d < self.dim(); ++d) {
        if (d < extra)
          dims.push_back(d);
        else if (size[d - extra] == 1 && self.size(d) != 1)
          dims.push_back(d);
        else
          expandable = size[d - extra] == self.size(d);
      }
      check(expandable, "size {{}} is not expandable to size {{}}.", size, self.sizes());
      if (dims.empty()) return self;  // the tensor itself, not a copy
      Tensor summed = op<"sum.dim_IntList">(self, dims, true);
      return extra > 0 ? op<"view">(summed, size) : summed;
    },
});

}  // namespace
}  // namespace mt
