// inner: sums of products over the last dimensions; with a number, its product with every element.
#include "core/messages.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

void check_inner(const Tensor& a, const Tensor& b) {
  check(a.device() == b.device(), messages::inner_devices_differ, a.device(), b.device());
  check(a.size(-1) == b.size(-1), "inner() the last dimension must match on both input tensors but got shapes {} and {}", a.sizes(),
        b.sizes());
}

MT_OP(OpDef{
    .schema = {"inner(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes sums of products over the last dimensions of two tensors.

A tensor without dimensions multiplies all elements of the other. Complex numbers are not
conjugated.

Args:
    self (Tensor): ``(*, n)``.
    other (Tensor): ``(**, n)``, of the same dtype.

Returns:
    Tensor: ``(*, **)``.

Raises:
    RuntimeError: when the last sizes or the dtypes differ.

Example:
    >>> torch.inner(torch.tensor([[1, 2], [3, 4]]), torch.tensor([10, 1]))
    tensor([12, 34]))",
    .composite = [](const Tensor& a, const Tensor& b) -> Tensor {
      if (a.dim() == 0 || b.dim() == 0) return a * b;
      check_inner(a, b);
      return op<"tensordot">(a, b, IntList{-1}, IntList{-1});
    },
});
MT_OP(OpDef{
    .schema = {"inner.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Writes sums of products over the last dimensions of both into `out`.",
    .composite = [](const Tensor& a, const Tensor& b, const Tensor& out) -> Tensor {
      if (a.dim() == 0 || b.dim() == 0) return op<"mul.out">(a, b, out);
      check(out.device() == a.device(), messages::inner_devices_differ, a.device(), out.device());
      check_inner(a, b);
      return op<"tensordot.out">(a, b, IntList{-1}, IntList{-1}, out);
    },
});

}  // namespace
}  // namespace mt
