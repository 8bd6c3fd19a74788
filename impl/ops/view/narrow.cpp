// narrow: a range of one dimension.
#include "core/backend.h"
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto narrow_tensor = [](const Tensor& self, int64_t dim, int64_t start, int64_t length) -> Tensor {
  check(self.dim() > 0, messages::narrow_of_scalar_tensor);
  check(length >= 0, messages::narrow_length_is_negative);
  int64_t d = wrap_dim(dim, self.dim()), size = self.size(d);
  check(start >= -size && start <= size, ErrorKind::index, messages::start_out_of_range, -size, size, start);
  if (start < 0) start += size;
  check(start <= size - length, messages::narrow_exceeds_dimension, start, length, size);
  return op<"slice">(self, d, start, start + length, 1);
};

MT_OP(OpDef{
    .schema = {"narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)",
               "narrow.Tensor(Tensor(a) self, int dim, Tensor start, SymInt length) -> Tensor(a)"},
    .forms = function | method,
    .doc = R"(Returns a view of the `length` indices from `start` on of dimension `dim`.

Args:
    self (Tensor): tensor with at least one dimension.
    dim (int): dimension to cut; negative counts from the last.
    start (int or Tensor): first index; negative counts from the end. A tensor must be an integer
        one without dimensions.
    length (int): number of indices; not negative.

Returns:
    Tensor: a view that shares memory with `self`.

Raises:
    IndexError: when `start` is outside of ``[-n, n]`` for a dimension of size ``n``.
    RuntimeError: when the range passes the end of the dimension.

Example:
    >>> x = torch.arange(9).view(3, 3)
    >>> torch.narrow(x, 1, 1, 2)
    tensor([[1, 2],
            [4, 5],
            [7, 8]]))",
    .composite = narrow_tensor,
    .overloads = {overload("Tensor", {.composite = [](const Tensor& self, int64_t dim, const Tensor& start, int64_t length) -> Tensor {
                                        check(start.dim() == 0 && is_integral(start.dtype()), "start must be an 0-dim integral Tensor.");
                                        return op<"narrow">(self, dim, Scalar::load(start.dtype(), on_host(start).data()).to_int(), length);
                                      },
                                      .batch = batch_looped})},
});

}  // namespace
}  // namespace mt
