// _spsolve: solves a system with a sparse_csr matrix; torch has kernels for CUDA only.
#include "definition/op.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_spsolve(Tensor A, Tensor B, *, bool left=True) -> Tensor"},
    .forms = function,
    .doc = "Raises a NotImplementedError: no device here solves with a sparse_csr matrix.",
    .module = "sparse",
});

}  // namespace
}  // namespace mt
