// _neg_view, resolve_neg: the lazy negative, as the imaginary part of a lazy conjugate has it.
#include "rules/algebra.h"

namespace mt {
namespace {

constexpr auto flipped = [](const Tensor& self) -> Tensor {
  Tensor out = alias(self, true);
  out->neg = !self.is_neg();
  out->keys = out->neg ? out->keys | key_bit(Key::negative) : out->keys & ~key_bit(Key::negative);
  return out;
};

MT_OP(OpDef{
    .schema = {"_neg_view(Tensor(a) self) -> Tensor(a)"},
    .forms = function,
    .doc = "A view whose elements read as negatives.",
    .view = flipped,
    .grad = {wrt("self", [](Grad g) { return op<"neg">(g); })},
});
MT_OP(OpDef{
    .schema = {"resolve_neg(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = "The tensor itself, or a copy with the pending negation carried out.",
    .composite = [](const Tensor& self) -> Tensor { return self.is_neg() ? op<"clone">(self) : self; },
});

}  // namespace
}  // namespace mt
