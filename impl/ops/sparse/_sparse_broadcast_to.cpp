// _sparse_broadcast_to: expands a sparse_coo tensor; each element is stored once per expanded index.
#include "rules/sparse/sparse_shape.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_sparse_broadcast_to(Tensor(a) self, int[] size) -> Tensor(a)"},
    .forms = function,
    .doc = "Returns a sparse COO tensor with dimensions of size 1, and new leading ones, repeated.",
    .sparse = [](const Tensor& self, IntList size) -> Tensor { return sparse_broadcast_to(self, size); },
});

}  // namespace
}  // namespace mt
