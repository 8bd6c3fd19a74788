// split_with_sizes_copy: what split_with_sizes shows, each piece in memory of its own.
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]"},
    .forms = function,
    .doc = "A copy of what split_with_sizes shows.",
}));

MT_OP(OpDef{
    .schema = {"split_with_sizes_copy.out(Tensor self, SymInt[] split_sizes, int dim=0, *, Tensor(a!)[] out) -> ()"},
    .forms = out,
    .doc = "The same into the tensors of `out`.",
    .composite = [](const Tensor& self, IntList split_sizes, int64_t dim, TensorList out) {
      copy_pieces("split_with_sizes_copy_out", op<"split_with_sizes", std::vector<Tensor>>(self, split_sizes, dim), out, Pieces::resize);
    },
});

}  // namespace
}  // namespace mt
