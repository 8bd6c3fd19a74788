// _spsolve: solves with a matrix of compressed rows; torch has kernels of it for CUDA alone.
#include "op.h"

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
