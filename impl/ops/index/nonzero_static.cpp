// nonzero_static: the indices of the first non-zero elements, in a matrix of a given number of rows.
#include <cstring>

#include "rules/form/exact_out.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Returns the indices of the first `size` non-zero elements as rows, in a matrix of fixed size.

Rows that are left over hold `fill_value`. The shape of the result does not depend on the values.

Args:
    self (Tensor): tensor of n dimensions.
    size (int): number of rows; not negative.
    fill_value (int): what rows hold that are left over. Default: ``-1``.

Returns:
    Tensor: int64 matrix ``(size, n)``.

Raises:
    RuntimeError: when `size` is negative.

Example:
    >>> torch.nonzero_static(torch.tensor([0, 1, 1]), size=3)
    tensor([[ 1],
            [ 2],
            [-1]]))",
    .rule = structured_exact([](Specs& out, const Tensor& self, int64_t size, int64_t) {
      check(size >= 0, "nonzero_static: 'size' must be an non-negative integer");
      out.add({size, self.dim()}, Dtype::int64);
    }),
    .cpu =
        [](const Tensor& self, int64_t size, int64_t fill_value, Tensor& out) {
          if (out.numel() == 0) return;
          BelowAutograd guard;
          const Tensor found = dense(op<"nonzero">(self));
          const int64_t have = std::min(size, found.size(0)) * self.dim();
          int64_t* to = out.data<int64_t>();
          if (have) std::memcpy(to, found.data(), size_t(have) * sizeof(int64_t));
          std::fill(to + have, to + out.numel(), fill_value);
        },
    .out_policy = OutPolicy{.dtype_error = "nonzero_static: Expected out tensor to have scalar type {} but got scalar type{}"},
});

}  // namespace
}  // namespace mt
