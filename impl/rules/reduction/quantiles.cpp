// Quantiles composed of sort, gather and lerp, which provide the gradients.
#include "rules/reduction/quantiles.h"
#include "core/backend.h"

namespace mt {

Tensor quantile_number(double q, const Tensor& self) {
  check(q >= 0 && q <= 1, "quantile() q must be in the range [0, 1] but got {}", q);
  return scalar_tensor(q, self.dtype(), self.device());
}

Tensor compute_quantiles(bool skip_nan, const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim, Text interpolation) {
  check(self.numel() > 0, "quantile() input tensor must be non-empty");
  check(q.dim() <= 1, "quantile() q must be a scalar or 1D tensor");
  check(self.dtype() == Dtype::float32 || self.dtype() == Dtype::float64, "quantile() input tensor must be either float or double dtype");
  check(self.dtype() == q.dtype(), "quantile() q tensor must be same dtype as the input tensor");
  check(self.device().type == q.device().type, "quantile() q tensor must be on the same device as the input tensor");
  const bool linear = interpolation == "linear", midpoint = interpolation == "midpoint", lower = interpolation == "lower",
             higher = interpolation == "higher", nearest = interpolation == "nearest";
  check(linear || midpoint || lower || higher || nearest,
        "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {}", text_arg(interpolation));
  if (!q.is_meta() && q.dim() == 1)
    check(*on_host(op<"all">(op<"logical_and">(op<"ge">(q, 0), op<"le">(q, 1)))).data<bool>(),
          "quantile() q values must be in the range [0, 1]");
  const int64_t ndim = self.dim(), d = dim ? wrap_dim(*dim, ndim) : 0;

  // Sorts lines along the last dimension; NaN comes last. With `keepdim` their dimension stays with size 1.
  const bool along = dim && ndim > 0;
  Tensor lines;
  if (along) {
    lines = keepdim ? op<"transpose">(op<"unsqueeze">(self, -1), d, -1) : op<"movedim">(self, d, -1);
  } else {
    Dims line(keepdim ? ndim : 0, 1);
    line.push_back(-1);
    lines = keepdim ? op<"reshape">(self, line) : op<"flatten">(self);
  }
  const Tensor sorted = op<"sort", Tensors<2>>(lines, -1)[0];
  const int64_t n = sorted.size(-1);

  // Each quantile's rank in its line, from 0.
  Tensor ranks = op<"reshape">(q, IntList{-1});
  if (skip_nan) {
    Tensor numbers = op<"sum.dim_IntList">(op<"logical_not">(op<"isnan">(sorted)), IntList{-1}, true);
    ranks = ranks * (numbers - 1);
    ranks = op<"masked_fill">(ranks, op<"lt">(ranks, 0), 0);
  } else {
    Dims sizes(sorted.sizes());
    sizes[sizes.size() - 1] = ranks.numel();
    ranks = op<"masked_fill">(op<"expand">(ranks * (n - 1), sizes), op<"isnan">(op<"narrow">(sorted, -1, n - 1, 1)), n - 1);
  }
  if (lower)
    ranks = op<"floor">(ranks);
  else if (higher)
    ranks = op<"ceil">(ranks);
  else if (nearest)
    ranks = op<"round">(ranks);

  const Tensor below = op<"to.dtype">(ranks, Dtype::int64);
  Tensor result = op<"gather">(sorted, -1, below);
  if (linear || midpoint) {
    const Tensor above = op<"gather">(sorted, -1, op<"to.dtype">(op<"ceil">(ranks), Dtype::int64));
    result = op<"lerp_">(result, above, midpoint ? op<"full_like">(ranks, 0.5) : ranks - below);
  }

  // Moves the dimension of the quantiles to the front, or removes it.
  if (q.dim()) result = op<"transpose_">(op<"unsqueeze_">(result, 0), 0, -1);
  result = op<"squeeze_">(result, -1);
  return result;
}

}  // namespace mt
