// The histogram family: the bin of each coordinate by binary search in the edges, and sums over points.
#include "rules/reduction/histogram.h"
#include "core/messages.h"

#include <algorithm>
#include <cmath>

namespace mt {
namespace {

// The bin of v, which is within the edges: tries the bin for equally spaced edges and its neighbours, then searches by bisection.
template <class T>
int64_t bin_of(const T* edges, int64_t bins, T v) {
  const double guess = (double(v) - double(edges[0])) / (double(edges[bins]) - double(edges[0])) * double(bins);
  int64_t bin = guess >= 0 && guess < double(bins) ? int64_t(guess) : bins - 1;
  if (bin > 0 && v < edges[bin])
    --bin;
  else if (bin < bins - 1 && v >= edges[bin + 1])
    ++bin;
  if (v >= edges[bin] && (bin == bins - 1 || v < edges[bin + 1])) return bin;
  return std::clamp<int64_t>(std::upper_bound(edges, edges + bins + 1, v) - edges - 1, 0, bins - 1);
}

}  // namespace

Tensor reshape_to_points(const Tensor& self) {
  return op<"reshape">(self, IntList{self.size(-1) ? self.numel() / self.size(-1) : product(IntList(self.sizes().data, self.dim() - 1)),
                                     self.size(-1)});
}

void check_histogram_input(const Tensor& self, const Tensor& weight) {
  check(self.dim() >= 2, messages::histogramdd_input_rank_below_2);
  if (!weight.defined()) return;
  check(weight.dtype() == self.dtype(),
        "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same dtype, but got input({}), "
        "and weight({})",
        ScalarName(self.dtype()), ScalarName(weight.dtype()));
  check(weight.sizes() == IntList(self.sizes().data, self.dim() - 1),
        "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor excluding its innermost "
        "dimension, but got input with shape {} and weight with shape {}",
        self.sizes(), weight.sizes());
}

void check_bin_edges(const Tensor& self, TensorList edges) {
  const int64_t n = self.size(-1);
  check(edges.size() == n, messages::histogramdd_edge_count_mismatch, n, n, edges.size());
  for (int64_t d = 0; d < n; ++d) {
    const Tensor& e = edges[d];
    check(e.dtype() == self.dtype(),
          "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype {} and bins for dimension "
          "{} with dtype {}",
          ScalarName(self.dtype()), d, ScalarName(e.dtype()));
    check(e.dim() == 1,
          "torch.histogramdd: bins tensor should have one dimension, but got {} dimensions in the bins tensor for dimension {}", e.dim(),
          d);
    check(e.numel() > 0,
          "torch.histogramdd: bins tensor should have at least 1 element, but got {} elements in the bins tensor for dimension {}",
          e.numel(), d);
    check(e.numel() > 1, "torch.histogram(): bins must be > 0, but got {} for dimension {}", e.numel() - 1, d);
  }
}

std::vector<Tensor> equal_edges(const Tensor& self, IntList bins, std::optional<RealList> range, const Tensor& weight) {
  const int64_t n = self.size(-1);
  check(bins.size() == n, messages::histogramdd_edge_count_mismatch, n, n, bins.size());
  check_histogram_input(self, weight);
  check(!range || range->size() == 2 * n, "torch.histogramdd: for a {}-dimensional histogram range should have {} elements, but got {}", n,
        2 * n, range ? range->size() : 0);
  if (self.dtype() != Dtype::float32 && self.dtype() != Dtype::float64) not_implemented_for("histogramdd", self.dtype());
  const Tensor points = reshape_to_points(self);
  std::vector<Tensor> edges;
  for (int64_t d = 0; d < n; ++d) {
    double low = 0, high = 1;
    if (range) {
      low = (*range)[2 * d], high = (*range)[2 * d + 1];
    } else if (points.numel() > 0) {
      const auto ends = op<"aminmax", Tensors<2>>(op<"select">(points, 1, d));
      low = Scalar::load(self.dtype(), ends[0].data()).to_double(), high = Scalar::load(self.dtype(), ends[1].data()).to_double();
    }
    check(std::isfinite(low) && std::isfinite(high), "torch.histogramdd: dimension {}'s range [{}, {}] is not finite", d, low, high);
    check(low <= high, "torch.histogramdd: min should not exceed max, but got min {} max {} for dimension {}", low, high, d);
    if (low == high) low -= 0.5, high += 0.5;
    edges.push_back(op<"linspace">(low, high, bins[d] + 1, self.dtype(), nullptr, self.device()));
  }
  return edges;
}

Tensor count_in_bins(const Tensor& self, TensorList given, const Tensor& given_weight, bool density) {
  if (self.dtype() != Dtype::float32 && self.dtype() != Dtype::float64) not_implemented_for("histogramdd", self.dtype());
  const Tensor points = dense(reshape_to_points(self)), weight = dense(given_weight);
  const int64_t n = points.size(0), dims = points.size(1);
  std::vector<Tensor> edges;
  Dims sizes;
  for (const Tensor& e : given) edges.push_back(dense(e)), sizes.push_back(e.numel() - 1);
  Tensor out = op<"zeros">(sizes, self.dtype());
  const int64_t bins = out.numel();
  visit_floating(self.dtype(), [&]<class T>(Type<T>) {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      const T* x = points.data<T>();
      const T* w = weight.defined() ? weight.data<T>() : nullptr;
      T* counts = out.data<T>();
      std::vector<double> total(static_cast<size_t>(bins), 0.0);  // exact far beyond a float's 2^24
      for (int64_t i = 0; i < n && dims > 0; ++i) {
        int64_t at = 0;
        for (int64_t d = 0; d < dims && at >= 0; ++d) {
          const T *first = edges[size_t(d)].data<T>(), *last = first + sizes[d];
          const T v = x[i * dims + d];
          if (!(v >= *first && v <= *last))
            at = -1;
          else
            at = at * sizes[d] + bin_of(first, sizes[d], v);
        }
        if (at >= 0) total[size_t(at)] += w ? double(w[i]) : 1.0;
      }
      for (int64_t b = 0; b < bins; ++b) counts[b] = T(total[size_t(b)]);
    }
  });
  if (!density) return out;
  out = out / op<"sum">(out);
  for (int64_t d = 0; d < dims; ++d) {
    Dims shape(dims, 1);
    shape[d] = sizes[d];
    out = out / op<"reshape">(op<"diff">(edges[size_t(d)]), shape);
  }
  return out;
}

}  // namespace mt
