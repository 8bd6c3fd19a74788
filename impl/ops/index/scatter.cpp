// scatter and scatter_add: elements placed into lines, by index.
#include "dispatch/out_words.h"
#include "core/warn_once.h"
#include "dispatch/autocast.h"
#include "rules/in_place.h"
#include "rules/scatter.h"

namespace mt {
namespace {

constexpr auto placed = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) -> Tensor {
  check_scatter(self, dim, index, src);
  Tensor out = scatter_target(self, dim, index);
  scatter_place(out, dim, index, src);
  return out;
};
constexpr auto placed_value = [](const Tensor& self, int64_t dim, const Tensor& index, Scalar value) -> Tensor {
  check_scatter(self, dim, index, Tensor());
  Tensor out = scatter_target(self, dim, index);
  if (out.is_meta()) return out;
  value.check_fits(self.dtype());
  scatter_place(out, dim, index, spread_value(value, self.dtype(), self.device(), index));
  return out;
};
Tensor without_written(const Tensor& g, int64_t dim, const Tensor& index) { return op<"scatter.value">(g, dim, index, 0); }

MT_OP(OpDef{
    .schema = {"scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
               "scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` with out[index[i][j]][j] = src[i][j] for dim 0, and so on; later writes win.",
    .cpu = changing(placed),
    .npu = {"Scatter(self, dim, index, src, 0)"},
    .meta = placed,
    .grad = {wrt("self", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return without_written(g, *dim, index); }),
             wrt("src", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return op<"gather">(g, *dim, index); })},
    .overloads = {overload("value", {.cpu = changing(placed_value),
                                     .npu = {"ScatterValue(self, dim, index, value, 0)"},
                                     .meta = placed_value,
                                     .grad = {wrt("self", [](Grad g, In<"dim", int64_t> dim,
                                                             In<"index"> index) { return without_written(g, *dim, index); })},
                                     .grad_name = "ScatterBackward1"})},
});

Tensor combined(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Combine how, const char* name) {
  Tensor out = scatter_target(self, dim, index);
  scatter_combine(out, dim, index, src, how, name);
  return out;
}
constexpr auto summed = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) -> Tensor {
  check_scatter(self, dim, index, src);
  return combined(self, dim, index, src, Combine::sum, "scatter_add_");
};
MT_OP(OpDef{
    .schema = {"scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` with out[index[i][j]][j] += src[i][j] for dim 0, and so on.",
    .cpu = changing(summed),
    .npu = {"ScatterAdd"},
    .meta = summed,
    .autocast = on_npu(Autocast::promote),
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }),
             wrt("src", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return op<"gather">(g, *dim, index); })},
});

// Older form of scatter_reduce: self[index] (op)= src.
Combine older_name(Text reduce) {
  const bool add = reduce == "add";
  check(add || reduce == "multiply", "reduce argument must be either add or multiply.");
  return add ? Combine::sum : Combine::prod;
}
Tensor combined_by_name(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Text reduce) {
  const Combine how = older_name(reduce);
  check_scatter(self, dim, index, src);
  return combined(self, dim, index, src, how, how == Combine::sum ? "scatter_add_" : "scatter_multiply_");
}
constexpr auto by_name = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Text reduce) -> Tensor {
  static std::atomic<bool> given;
  warn_once(given,
            "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch release. Use "
            "torch.scatter_reduce instead for more reduction options.");
  return combined_by_name(self, dim, index, src, reduce);
};
constexpr auto value_by_name = [](const Tensor& self, int64_t dim, const Tensor& index, Scalar value, Text reduce) -> Tensor {
  check_scatter(self, dim, index, Tensor());
  return combined_by_name(self, dim, index, spread_value(value, self.dtype(), self.device(), index), reduce);
};
MT_OP(OpDef{
    .schema = {"scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor",
               "scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` with elements added or multiplied in by index, as `reduce` says.",
    .cpu = changing(by_name),
    .meta = by_name,
    .overloads = {overload("value_reduce", {.cpu = changing(value_by_name), .meta = value_by_name})},
});

MT_OUT("scatter", .device = "Expected out tensor to have device {}, but got {} instead");
MT_OUT("scatter_add", .device = "Expected out tensor to have device {}, but got {} instead");

}  // namespace
}  // namespace mt
