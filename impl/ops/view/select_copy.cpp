// select_copy: what select shows, in memory of its own.
#include "rules/sparse_compressed_math.h"
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"select_copy.int(Tensor self, int dim, SymInt index) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what select shows.",
    .compressed = [](const Tensor& self, int64_t dim, int64_t index) -> Tensor { return compressed_select(self, dim, index, true); },
}));

}  // namespace
}  // namespace mt
