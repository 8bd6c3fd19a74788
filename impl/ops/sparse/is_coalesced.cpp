// is_coalesced: whether each place is stored once, in order; _coalesced_ states it.
#include "rules/sparse.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"is_coalesced(Tensor self) -> bool"},
    .forms = method,
    .doc = "Whether a tensor of coordinates stores each place once, in the order of the dimensions.",
    .cpu = [](const Tensor& self) -> bool {
      fail("is_coalesced expected sparse coordinate tensor layout but got {}", name_of(self.layout()));
    },
    .npu = {any_device},
    .meta = [](const Tensor& self) -> bool {
      fail("is_coalesced expected sparse coordinate tensor layout but got {}", name_of(self.layout()));
    },
    .sparse = [](const Tensor& self) -> bool { return parts_of(self).coalesced; },
    .compressed = [](const Tensor& self) -> bool {
      fail("is_coalesced expected sparse coordinate tensor layout but got {}", name_of(self.layout()));
    },
    .grad = not_differentiable,
});

MT_OP(OpDef{
    .schema = {"_coalesced_(Tensor(a!) self, bool coalesced) -> Tensor(a!)"},
    .forms = method,
    .doc = "States whether the coordinates are in order and differ; nothing is checked.",
    .sparse = [](const Tensor& self, bool coalesced) -> Tensor {
      self->sparse->coalesced = coalesced;
      return self;
    },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
