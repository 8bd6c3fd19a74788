// conj: a view whose elements read as conjugates.
#include "core/sparse.h"
#include "rules/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto flipped = [](const Tensor& self) -> Tensor {
  Tensor out = alias(self, true);
  out->conj = !self.is_conj();
  out->keys = out->conj ? out->keys | key_bit(Key::conjugate) : out->keys & ~key_bit(Key::conjugate);
  return out;
};

MT_OP(OpDef{
    .schema = {"_conj(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = "A view whose elements read as conjugates.",
    .view = flipped,
    .grad = {wrt("self", [](Grad g) { return conj(g); })},
});

MT_OP(OpDef{
    .schema = {"conj(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = "The conjugate, as a lazy view (computed of sparse tensors); real tensors as they are.",
    .composite = [](const Tensor& self) -> Tensor {
      if (is_sparse(self)) return op<"conj_physical">(self);
      return is_complex(self.dtype()) ? op<"_conj">(self) : self;
    },
});

MT_BATCH("_conj", batch_leading);

}  // namespace
}  // namespace mt
