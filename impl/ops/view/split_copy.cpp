// split_copy: what split shows, each piece in memory of its own.
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]"},
    .forms = function,
    .doc = "A copy of what split shows.",
}));

MT_OP(OpDef{
    .schema = {"split_copy.Tensor_out(Tensor self, SymInt split_size, int dim=0, *, Tensor(a!)[] out) -> ()"},
    .forms = out,
    .doc = "The same into the tensors of `out`.",
    .composite = [](const Tensor& self, int64_t split_size, int64_t dim, TensorList out) {
      copy_pieces("split_copy_Tensor_out()", op<"split.Tensor", std::vector<Tensor>>(self, split_size, dim), out, Pieces::convert);
    },
});

}  // namespace
}  // namespace mt
