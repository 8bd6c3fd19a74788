// _sparse_broadcast_to: expand of a tensor of coordinates, each of whose elements is stored for all places that it comes to stand at.
#include "rules/sparse_shape.h"

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
