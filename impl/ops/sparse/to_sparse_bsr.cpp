// to_sparse_bsr: a tensor with its rows of blocks compressed, and _to_sparse_bsr, its step for one that is not so yet.
#include "rules/sparse_compressed.h"

namespace mt {
namespace {

constexpr auto asked = [](const Tensor& self, IntList block, std::optional<int64_t> dense) -> Tensor {
  return ask_for_layout(self, Layout::sparse_bsr, block, dense);
};
constexpr auto converted = [](const Tensor& self, IntList block, std::optional<int64_t> dense) -> Tensor {
  return to_compressed(self, Layout::sparse_bsr, block, dense);
};

MT_OP(OpDef{
    .schema = {"to_sparse_bsr(Tensor self, int[2] blocksize, int? dense_dim=None) -> Tensor"},
    .forms = method,
    .doc = "The elements that are not zero in the layout sparse_bsr; `self` itself if it has it already.",
    .composite = asked,
});

MT_OP(OpDef{
    .schema = {"_to_sparse_bsr(Tensor self, int[2] blocksize, int? dense_dim=None) -> Tensor"},
    .forms = method,
    .doc = "A copy in the layout sparse_bsr.",
    .cpu = converted,
    .sparse = converted,
    .compressed = converted,
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self) { return in_layout_of(g, self); })},
    .grad_name = "ToSparseBsrBackward0",
});

}  // namespace
}  // namespace mt
