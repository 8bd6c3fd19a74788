// is_complex: whether the dtype is complex.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"is_complex(Tensor self) -> bool"},
    .forms = function | method,
    .doc = "Whether the dtype is complex.",
    .composite = [](const Tensor& self) -> bool { return is_complex(self.dtype()); },
});

}  // namespace
}  // namespace mt
