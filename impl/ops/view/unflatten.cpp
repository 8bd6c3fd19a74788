// unflatten: splits dimension `dim` into several dimensions.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)"},
    .forms = function | method,
    .doc = R"(Returns a view in which dimension `dim` is several dimensions of the given sizes.

It is the inverse of ``torch.flatten``.

Args:
    self (Tensor): tensor with at least one dimension.
    dim (int): dimension to take apart; negative counts from the last.
    sizes (tuple of int): sizes that multiply to the size of `dim`; one may be -1 and follows from
        the others.

Returns:
    Tensor: a view.

Raises:
    RuntimeError: when `sizes` is empty or does not multiply to the size.

Example:
    >>> torch.unflatten(torch.zeros(3, 12), 1, (-1, 4)).shape
    torch.Size([3, 3, 4]))",
    .composite = [](const Tensor& self, int64_t dim, IntList sizes) -> Tensor {
      check(sizes.size() > 0, "unflatten: sizes must be non-empty");
      check(self.dim() > 0, "unflatten got an unexpected error:\nDimension specified as {} but tensor has no dimensions", dim);
      const int64_t d = wrap_dim(dim, self.dim());
      int64_t known = 1, inferred = 0;
      for (int64_t s : sizes) s == -1 ? void(++inferred) : void(known *= s);
      check(inferred < 2, "unflatten got an unexpected error:\nonly one dimension can be inferred");
      check(inferred ? known > 0 && self.size(d) % known == 0 : known == self.size(d),
            "unflatten: Provided sizes {} don't multiply up to the size of dim {} ({}) in the input tensor", sizes, d, self.size(d));
      Dims parts = infer_size(sizes, self.size(d)), shape;
      for (int64_t i = 0; i < self.dim(); ++i)
        if (i != d)
          shape.push_back(self.size(i));
        else
          for (int64_t s : parts) shape.push_back(s);
      return op<"view">(self, shape);
    },
});

}  // namespace
}  // namespace mt
