// Quantiles as a composition of sort, gather and lerp, so that gradients come by themselves.
#include "rules/quantiles.h"

namespace mt {

Tensor quantile_number(const char* name, double q, const Tensor& self) {
  check(q >= 0 && q <= 1, "{}() q must be in the range [0, 1] but got {}", name, q);
  return scalar_tensor(q, self.dtype(), self.device());
}

Tensor quantiles(const char* name, bool skip_nan, const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                 Text interpolation) {
  check(self.numel() > 0, "{}() input tensor must be non-empty", name);
  check(q.dim() <= 1, "{}() q must be a scalar or 1D tensor", name);
  check(self.dtype() == Dtype::float32 || self.dtype() == Dtype::float64, "{}() input tensor must be either float or double dtype", name);
  check(self.dtype() == q.dtype(), "{}() q tensor must be same dtype as the input tensor", name);
  check(self.device().type == q.device().type, "{}() q tensor must be on the same device as the input tensor", name);
  const bool linear = interpolation == "linear", midpoint = interpolation == "midpoint", lower = interpolation == "lower",
             higher = interpolation == "higher", nearest = interpolation == "nearest";
  check(linear || midpoint || lower || higher || nearest,
        "{}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {}", name, text_arg(interpolation));
  if (!q.is_meta() && q.dim() == 1)
    check(*op<"all">(op<"logical_and">(op<"ge">(q, 0), op<"le">(q, 1))).data<bool>(), "{}() q values must be in the range [0, 1]", name);
  const int64_t ndim = self.dim(), d = dim ? wrap_dim(*dim, ndim) : 0;

  // The lines as the last dimension, in order; NaN stands at their ends.
  const bool along = dim && ndim > 0;
  const Tensor lines = along ? op<"transpose">(op<"unsqueeze">(self, -1), d, -1) : op<"flatten">(self);
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
  if (lower) ranks = op<"floor">(ranks);
  else if (higher) ranks = op<"ceil">(ranks);
  else if (nearest) ranks = op<"round">(ranks);

  const Tensor below = op<"to.dtype">(ranks, Dtype::int64);
  Tensor result = op<"gather">(sorted, -1, below);
  if (linear || midpoint) {
    const Tensor above = op<"gather">(sorted, -1, op<"to.dtype">(op<"ceil">(ranks), Dtype::int64));
    result = op<"lerp">(result, above, midpoint ? op<"full_like">(ranks, 0.5) : ranks - below);
  }

  // The quantiles' own dimension goes to the front, or away.
  const int64_t own = q.dim();
  result = own ? op<"movedim">(result, -1, 0) : op<"squeeze.dim">(result, -1);
  if (along) return keepdim ? result : op<"squeeze.dim">(result, d + own);
  for (int64_t i = 0; keepdim && i < ndim; ++i) result = op<"unsqueeze">(result, -1);
  return result;
}

}  // namespace mt
