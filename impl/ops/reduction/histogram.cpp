// histogram: how many elements (or how much weight) lie in each bin, and the bins' edges.
#include "rules/histogram.h"

namespace mt {
namespace {

Tensor column(const Tensor& t) { return op<"reshape">(t, IntList{t.numel(), 1}); }
Tensor flat(const Tensor& t) { return t.defined() ? op<"reshape">(t, IntList{t.numel()}) : t; }

constexpr auto with_edges = [](const Tensor& self, const Tensor& bins, const Tensor& weight, bool density) -> Tensors<2> {
  BelowAutograd guard;
  const Tensor points = column(self), w = flat(weight);
  check_bin_edges(points, {&bins, 1});
  check_histogram_input(points, w);
  return {count_in_bins(points, {&bins, 1}, w, density), op<"clone">(bins)};
};
constexpr auto with_count = [](const Tensor& self, int64_t bins, std::optional<RealList> range, const Tensor& weight,
                               bool density) -> Tensors<2> {
  BelowAutograd guard;
  const Tensor points = column(self), w = flat(weight);
  check(bins > 0, "torch.histogram(): bins must be > 0, but got {} for dimension 0", bins);
  const std::vector<Tensor> edges = equal_edges(points, IntList{bins}, range, w);
  return {count_in_bins(points, {edges.data(), 1}, w, density), edges[0]};
};

MT_OP(OpDef{
    .schema =
        {"histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
         "histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, "
         "Tensor bin_edges)"},
    .forms = function | method | out,
    .doc = "How many elements (or how much of `weight`) lie in each bin, and the bins' edges.",
    .cpu = with_edges,
    .overloads = {overload("bin_ct", {.cpu = with_count})},
});

}  // namespace
}  // namespace mt
