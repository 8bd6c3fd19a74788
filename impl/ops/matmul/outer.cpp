// outer: the matrix of products of each element of one vector with each of the other.
#include "rules/matmul/matmul.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"outer(Tensor self, Tensor vec2) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the products of each element of one vector with each of another.

The dtypes are promoted. Complex numbers are not conjugated.

Args:
    self (Tensor): ``(n,)``.
    vec2 (Tensor): ``(m,)``.

Returns:
    Tensor: ``(n, m)``, in the promoted dtype.

Raises:
    RuntimeError: when a tensor is no vector.

Example:
    >>> torch.outer(torch.tensor([1, 2]), torch.tensor([1, 10, 100]))
    tensor([[  1,  10, 100],
            [  2,  20, 200]]))",
    .aliases = "ger",
    .composite = [](const Tensor& a, const Tensor& b) -> Tensor {
      check(a.dim() == 1, "outer: Expected 1-D argument self, but got {}-D", a.dim());
      check(b.dim() == 1, "outer: Expected 1-D argument vec2, but got {}-D", b.dim());
      return op<"reshape">(a, IntList{a.size(0), 1}) * b;
    },
    .out_policy = OutPolicy{.recorded_as = "mul", .casts = true},
});

}  // namespace
}  // namespace mt
