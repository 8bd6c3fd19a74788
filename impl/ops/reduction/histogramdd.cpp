// histogramdd: counts points (or sums weights) in each box of a grid, and returns the grid's edges.
#include "core/messages.h"
#include "rules/reduction/histogram.h"

namespace mt {

// An overload of `put` (dispatch/value.h) for composites that return a list of tensors as one of several results.
static void put(Value& slot, std::vector<Tensor> list) { put_list(slot, list.data(), int64_t(list.size())); }

namespace {

constexpr auto compute_bin_edges = [](const Tensor& self, IntList bins, std::optional<RealList> range, const Tensor& weight,
                                      bool) -> std::vector<Tensor> {
  BelowAutograd guard;
  check(self.dim() >= 2, messages::histogramdd_input_rank_below_2);
  return equal_edges(self, bins, range, weight);
};
constexpr auto count_in_equal_bins = [](const Tensor& self, IntList bins, std::optional<RealList> range, const Tensor& weight,
                                        bool density) -> Tensor {
  BelowAutograd guard;
  const std::vector<Tensor> edges = compute_bin_edges(self, bins, range, weight, density);
  check_bin_edges(self, {edges.data(), int64_t(edges.size())});
  return count_in_bins(self, {edges.data(), int64_t(edges.size())}, weight, density);
};
constexpr auto count_between_edges = [](const Tensor& self, TensorList bins, const Tensor& weight, bool density) -> Tensor {
  BelowAutograd guard;
  check(self.dim() >= 2, messages::histogramdd_input_rank_below_2);
  check_bin_edges(self, bins);
  check_histogram_input(self, weight);
  return count_in_bins(self, bins, weight, density);
};
MT_OP(OpDef{
    .schema =
        {"_histogramdd_bin_edges(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor[]"},
    .forms = function,
    .doc = "Computes the edges of equal bins in each dimension. torch.histogramdd uses it.",
    .cpu = compute_bin_edges,
});
MT_OP(OpDef{
    .schema =
        {"_histogramdd_from_bin_cts(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor"},
    .forms = function,
    .doc = "Counts how many points fall into each box of a grid of equal bins. torch.histogramdd uses it.",
    .cpu = count_in_equal_bins,
});
MT_OP(OpDef{
    .schema = {"_histogramdd_from_bin_tensors(Tensor self, Tensor[] bins, *, Tensor? weight=None, bool density=False) -> Tensor"},
    .forms = function,
    .doc = "Counts how many points fall into each box of a grid with the given edges. torch.histogramdd uses it.",
    .cpu = count_between_edges,
});

using HistogramAndEdges = std::tuple<Tensor, std::vector<Tensor>>;

constexpr auto histogramdd_by_bin_counts = [](const Tensor& self, IntList bins, std::optional<RealList> range, const Tensor& weight,
                                              bool density) -> HistogramAndEdges {
  check(self.dim() < 1 || bins.size() == self.size(-1),
        "histogramdd: The size of bins must be equal to the innermost dimension of the input.");
  std::vector<Tensor> edges = op<"_histogramdd_bin_edges", std::vector<Tensor>>(self, bins, range, weight, density);
  return {op<"_histogramdd_from_bin_cts">(self, bins, range, weight, density), std::move(edges)};
};
MT_OP(OpDef{
    .schema = {"histogramdd(Tensor self, int[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, "
               "Tensor[] bin_edges)",
               "histogramdd.int_bins(Tensor self, int bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, "
               "Tensor[] bin_edges)",
               "histogramdd.TensorList_bins(Tensor self, Tensor[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> "
               "(Tensor hist, Tensor[] bin_edges)"},
    .forms = function,
    .doc =
        R"(Counts how many points, or how much weight, fall into each box of a grid, and returns its edges too.

Each line of the last dimension of `self` is a point; the other dimensions are flattened. Per
dimension bins work as in `torch.histogram`.

Args:
    self (Tensor): ``(..., D)`` with at least two dimensions; float32 or float64.
    bins (int, list of int or list of Tensor): how many bins for all or each of the D dimensions,
        or each one's edges.
    range (list of float, optional): ``2 * D`` ends, lower and upper of each dimension in turn.
        Default: the points' own.
    weight (Tensor, optional): what each point counts, in the shape of `self` without its last
        dimension. Default: ``None``.
    density (bool): whether to divide by the total and the box's volume. Default: ``False``.

Returns:
    tuple: ``hist``, a D-dimensional tensor, and ``bin_edges``, D tensors.

Raises:
    RuntimeError: when `bins` has another length than D.

Example:
    >>> points = torch.tensor([[0.0, 0.0], [1.0, 1.0], [0.9, 0.1]])
    >>> torch.histogramdd(points, bins=[2, 2]).hist
    tensor([[1., 0.],
            [1., 1.]]))",
    .composite = histogramdd_by_bin_counts,
    .overloads = {overload("int_bins", {.composite = [](const Tensor& self, int64_t bins, std::optional<RealList> range,
                                                        const Tensor& weight, bool density) -> HistogramAndEdges {
                             check(self.dim() >= 2, messages::histogramdd_input_rank_below_2);
                             return histogramdd_by_bin_counts(self, Dims(self.size(-1), bins), range, weight, density);
                           }}),
                  overload("TensorList_bins", {.composite = [](const Tensor& self, TensorList bins, std::optional<RealList>,
                                                               const Tensor& weight, bool density) -> HistogramAndEdges {
                             Tensor counts = op<"_histogramdd_from_bin_tensors">(self, bins, weight, density);
                             return {counts, std::vector<Tensor>(bins.begin(), bins.end())};
                           }})},
});

}  // namespace
}  // namespace mt
