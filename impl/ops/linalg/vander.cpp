// linalg_vander, vander: powers of each element, side by side.
#include "rules/linalg/linalg.h"

namespace mt {
namespace {

// Returns x, x^2, ..., x^count in a new last dimension.
Tensor compute_powers(const Tensor& x, int64_t count) {
  Dims sizes(x.sizes());
  sizes.push_back(count);
  return op<"cumprod">(op<"expand">(as_column(x), sizes), -1);
}
Tensor prepend_ones(const Tensor& x) {
  Dims sizes(x.sizes());
  sizes.push_back(1);
  return op<"ones">(sizes, x.dtype(), nullptr, x.device());
}

MT_OP(OpDef{
    .schema = {"linalg_vander(Tensor x, *, SymInt? N=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes powers of each element, side by side: 1, x, x^2, ..., x^(N - 1) (Vandermonde's matrix).

Args:
    x (Tensor): ``(*, n)``; floating, complex or integer.
    N (int, optional): how many powers, at least 2. Default: n.

Returns:
    Tensor: ``(*, n, N)``, in the dtype of `x`, int64 for integers.

Raises:
    RuntimeError: when `N` is below 2.

Example:
    >>> torch.linalg.vander(torch.tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [1, 2, 4],
            [1, 3, 9]]))",
    .module = "linalg",
    .composite = [](const Tensor& x0, std::optional<int64_t> n) -> Tensor {
      const Dtype t = x0.dtype();
      check(t == Dtype::float32 || t == Dtype::float64 || t == Dtype::complex64 || t == Dtype::complex128 || is_integral(t, false),
            "linalg.vander supports floating point, complex, and integer tensors, but got {}", t);
      const Tensor x = x0.dim() == 0 ? op<"unsqueeze">(x0, 0) : x0;
      const int64_t count = n.value_or(x.size(-1));
      check(count > 1, "N must be greater than 1.");
      return op<"cat">(std::vector<Tensor>{prepend_ones(x), compute_powers(x, count - 1)}, -1);
    },
});
MT_OP(OpDef{
    .schema = {"vander(Tensor x, int? N=None, bool increasing=False) -> Tensor"},
    .forms = function,
    .doc = R"(Computes powers of each element of a vector, side by side, the highest first.

`torch.linalg.vander` takes batches, with the lowest first.

Args:
    x (Tensor): ``(n,)``.
    N (int, optional): how many powers, not negative. Default: n.
    increasing (bool): whether the lowest comes first. Default: ``False``.

Returns:
    Tensor: ``(n, N)``, in the dtype of `x`, int64 for integers.

Raises:
    RuntimeError: when `x` is no vector.

Example:
    >>> torch.vander(torch.tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [4, 2, 1],
            [9, 3, 1]]))",
    .composite = [](const Tensor& x, std::optional<int64_t> n, bool increasing) -> Tensor {
      check(x.dim() == 1, "x must be a one-dimensional tensor.");
      const int64_t count = n.value_or(x.size(0));
      check(count >= 0, "N must be non-negative.");
      const Tensor wide = is_integral(x.dtype(), true) ? op<"to.dtype">(x, Dtype::int64) : x;
      if (count < 2) return count ? prepend_ones(wide) : op<"narrow">(prepend_ones(wide), 1, 0, 0);
      const Tensor rising = op<"cat">(std::vector<Tensor>{prepend_ones(wide), compute_powers(wide, count - 1)}, -1);
      return increasing ? rising : op<"flip">(rising, IntList{1});
    },
});

}  // namespace
}  // namespace mt
