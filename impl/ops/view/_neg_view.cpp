// _neg_view: a view whose elements read as negatives.
#include "rules/form/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto toggle_negative_bit = [](const Tensor& self) -> Tensor {
  Tensor out = alias(self, true);
  out->neg = !self.is_neg();
  out->keys = out->neg ? out->keys | key_bit(Key::negative) : out->keys & ~key_bit(Key::negative);
  return out;
};

MT_OP(OpDef{
    .schema = {"_neg_view(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = R"(Returns a view whose elements read as negatives; the stored elements do not change.

``imag`` of a lazy conjugate uses it. ``torch.resolve_neg`` carries the negation out.)",
    .view = toggle_negative_bit,
    .grad = {wrt("self", [](Grad g) { return op<"neg">(g); })},
    .batch = batch_leading,
});

}  // namespace
}  // namespace mt
