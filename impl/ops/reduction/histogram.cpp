// histogram: counts elements (or sums weights) in each bin, and returns the bin edges.
#include "rules/reduction/histogram.h"
#include "core/messages.h"

namespace mt {
namespace {

Tensor view_as_column(const Tensor& t) { return op<"reshape">(t, IntList{t.numel(), 1}); }
Tensor flatten_if_defined(const Tensor& t) { return t.defined() ? op<"reshape">(t, IntList{t.numel()}) : t; }

constexpr auto histogram_with_edges = [](const Tensor& self, const Tensor& bins, const Tensor& weight, bool density) -> Tensors<2> {
  BelowAutograd guard;
  const Tensor points = view_as_column(self), w = flatten_if_defined(weight);
  check_bin_edges(points, {&bins, 1});
  check_histogram_input(points, w);
  return {count_in_bins(points, {&bins, 1}, w, density), op<"clone">(bins)};
};
constexpr auto histogram_by_count = [](const Tensor& self, int64_t bins, std::optional<RealList> range, const Tensor& weight,
                                       bool density) -> Tensors<2> {
  BelowAutograd guard;
  const Tensor points = view_as_column(self), w = flatten_if_defined(weight);
  check(bins > 0, messages::histogram_bins_must_be_positive, bins);
  const std::vector<Tensor> edges = equal_edges(points, IntList{bins}, range, w);
  return {count_in_bins(points, {edges.data(), 1}, w, density), edges[0]};
};

MT_OP(OpDef{
    .schema =
        {"histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
         "histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, "
         "Tensor bin_edges)"},
    .forms = function | method | out,
    .doc = R"(Counts how many elements, or how much weight, fall into each bin, and returns the bins' edges too.

Bins contain their left edge, the last one both; elements outside, and NaN, are not counted. A
number of bins makes equal bins over `range`, or from the smallest to the largest element; a
tensor of bins is the increasing sequence of edges.

Args:
    self (Tensor): any shape; float32 or float64.
    bins (int or Tensor): how many bins, or the edges, in the dtype of `self`. Default: ``100``.
    range (tuple of float, optional): both ends; with a number of bins only. Default: ``None``.
    weight (Tensor, optional): what each element counts, in the shape and dtype of `self`.
        Default: ``None``.
    density (bool): whether to divide by the total and the bin's width, so that the integral is
        1. Default: ``False``.

Returns:
    tuple of Tensor: ``hist``, one number a bin, and ``bin_edges``, one more; both in the dtype
        of `self`.

Example:
    >>> hist, edges = torch.histogram(torch.tensor([0.5, 1.5, 1.7]), bins=3, range=(0.0, 3.0))
    >>> hist
    tensor([1., 2., 0.])
    >>> edges
    tensor([0., 1., 2., 3.]))",
    .cpu = histogram_with_edges,
    .overloads = {overload("bin_ct", {.cpu = histogram_by_count})},
});

}  // namespace
}  // namespace mt
