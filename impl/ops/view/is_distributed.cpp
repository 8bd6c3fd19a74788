// is_distributed: no tensor of this library is spread over processes.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"is_distributed(Tensor self) -> bool"},
    .forms = function | method,
    .doc = "False: no tensor is spread over processes.",
    .composite = [](const Tensor&) -> bool { return false; },
});

}  // namespace
}  // namespace mt
