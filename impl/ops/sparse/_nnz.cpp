// _nnz: the number of elements that a sparse tensor stores.
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_nnz(Tensor self) -> int"},
    .forms = method,
    .doc = R"(Returns the number of stored elements, or of blocks, of a sparse tensor.

Elements of an uncoalesced tensor count as often as they are stored; stored zeros count.)",
    .sparse = [](const Tensor& self) -> int64_t { return nnz(self); },
    .compressed = [](const Tensor& self) -> int64_t { return components_of(self).plain.size(-1); },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
