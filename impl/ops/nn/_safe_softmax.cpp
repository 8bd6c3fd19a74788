// _safe_softmax: softmax with zeros, not NaN, for rows that are all -inf.
#include "core/options.h"
#include "rules/form/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto compute_safe_softmax = [](const Tensor& self, int64_t dim, std::optional<Dtype> dtype) -> Tensor {
  BelowAutograd guard;
  const Tensor out = op<"softmax">(self, dim, dtype);
  if (self.numel() == 0) return out;
  const Tensor masked_rows = op<"eq">(op<"amax">(self, IntList{dim}, true), -__builtin_inf());
  return op<"masked_fill_">(out, masked_rows, 0);
};

MT_OP(OpDef{
    .schema = {"_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes softmax with zeros, not NaN, for lines that are all -inf.

Attention uses it for queries that may attend to nothing.)",
    .cpu = compute_safe_softmax,
    .npu = {any_device},
    .meta = compute_safe_softmax,
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim,
                            Out<"result"> y) { return op<"_softmax_backward_data">(g, y, *dim, self.dtype); })},
    .batch = batch_by_dims,
});

}  // namespace
}  // namespace mt
