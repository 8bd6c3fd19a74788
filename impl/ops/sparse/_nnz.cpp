// _nnz: how many elements a sparse tensor stores.
#include "rules/sparse.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_nnz(Tensor self) -> int"},
    .forms = method,
    .doc = "The number of stored elements (of blocks, where values are blocks), each place counted as often as it is stored.",
    .sparse = [](const Tensor& self) -> int64_t { return nnz(self); },
    .compressed = [](const Tensor& self) -> int64_t { return parts_of(self).plain.size(-1); },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
