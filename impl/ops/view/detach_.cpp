// detach_: cuts a tensor itself off from the graph.
#include "autograd/meta.h"
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"detach_(Tensor(a!) self) -> Tensor(a!)"},
    .forms = function,
    .doc = "Cuts `self` off from the graph; a view cannot be.",
    .composite = [](const Tensor& self) { detach_inplace(self); },
});

}  // namespace
}  // namespace mt
