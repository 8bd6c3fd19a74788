// cdist: the distance of each row of x1 to each row of x2.
#include "core/messages.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

// From this many rows on, the default mode uses a matrix product, which is faster.
constexpr int64_t min_rows_for_matrix_product = 25;

MT_OP(OpDef{
    .schema = {"cdist(Tensor x1, Tensor x2, float p=2, int? compute_mode=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the p-norm distance of each row of `x1` to each row of `x2`, in batches.

Euclidean distances of more than 25 rows run as a matrix product, which is faster but less exact for
rows that are near each other; `compute_mode` chooses. The gradient of a distance of 0 is 0.

Args:
    x1 (Tensor): shape ``(*, m, d)``; a floating dtype.
    x2 (Tensor): shape ``(*, n, d)``; leading sizes broadcast with those of `x1`.
    p (float): norm, at least 0: 0 counts unequal elements, ``inf`` takes the largest difference.
        Default: ``2``.
    compute_mode (int, optional): 0: a product for more than 25 rows, 1: always, 2: never. Default:
        ``None``, 0. ``torch.cdist`` in Python takes names.

Returns:
    Tensor: distances; shape ``(*, m, n)``.

Raises:
    RuntimeError: when the numbers of columns differ, `p` is negative or a dtype is not floating.

Example:
    >>> torch.cdist(torch.tensor([[0.0, 0.0]]), torch.tensor([[3.0, 4.0], [0.0, 1.0]]))
    tensor([[5., 1.]]))",
    .composite = [](const Tensor& x1, const Tensor& x2, double p, std::optional<int64_t> compute_mode) -> Tensor {
      check(x1.dim() >= 2, "cdist only supports at least 2D tensors, X1 got: {}D", x1.dim());
      check(x2.dim() >= 2, "cdist only supports at least 2D tensors, X2 got: {}D", x2.dim());
      check(x1.size(-1) == x2.size(-1), "X1 and X2 must have the same number of columns. X1: {} X2: {}", x1.size(-1), x2.size(-1));
      const int64_t mode = compute_mode.value_or(0);
      const bool by_product = p == 2 && (mode == 1 || (mode == 0 && (x1.size(-2) > min_rows_for_matrix_product ||
                                                                     x2.size(-2) > min_rows_for_matrix_product)));
      if (!by_product) return op<"_cdist_forward">(x1, x2, p, compute_mode);
      check(is_floating(x1.dtype()), messages::cdist_needs_floating_x1, x1.dtype());
      check(is_floating(x2.dtype()), messages::cdist_needs_floating_x2, x2.dtype());
      Dims batch1, batch2;
      for (int64_t d = 0; d < x1.dim() - 2; ++d) batch1.push_back(x1.size(d));
      for (int64_t d = 0; d < x2.dim() - 2; ++d) batch2.push_back(x2.size(d));
      Dims sizes = broadcast_shapes(batch1, batch2), sizes1(sizes), sizes2(sizes);
      sizes1.push_back(x1.size(-2)), sizes1.push_back(x1.size(-1));
      sizes2.push_back(x2.size(-2)), sizes2.push_back(x2.size(-1));
      sizes.push_back(x1.size(-2)), sizes.push_back(x2.size(-2));
      if (product(sizes) == 0) return op<"_cdist_forward">(x1, x2, p, compute_mode);
      if (x1.size(-1) == 0) return op<"zeros">(sizes, x1.dtype(), nullptr, x1.device());
      // One batch dimension for both; no batch dimension if the batch size is 1.
      auto rows = [&](const Tensor& x, const Dims& wide, int64_t n) {
        const int64_t pairs = product(IntList(sizes)) / (x1.size(-2) * x2.size(-2));
        if (pairs == 1) return op<"view">(x, IntList{n, x.size(-1)});
        return op<"reshape">(op<"expand">(x, wide), IntList{pairs, n, x.size(-1)});
      };
      const Tensor a = x1.is_contiguous() ? x1 : op<"contiguous">(x1), b = x2.is_contiguous() ? x2 : op<"contiguous">(x2);
      return op<"view">(op<"_euclidean_dist">(rows(a, sizes1, x1.size(-2)), rows(b, sizes2, x2.size(-2))), sizes);
    },
    .autocast = everywhere(Autocast::fp32),
});

}  // namespace
}  // namespace mt
