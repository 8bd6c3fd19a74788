// conj: a view whose elements read as conjugates.
#include "core/sparse.h"
#include "rules/form/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto toggle_conjugate_bit = [](const Tensor& self) -> Tensor {
  Tensor out = alias(self, true);
  out->conj = !self.is_conj();
  out->keys = out->conj ? out->keys | key_bit(Key::conjugate) : out->keys & ~key_bit(Key::conjugate);
  return out;
};

MT_OP(OpDef{
    .schema = {"_conj(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = "Returns a complex view with the conjugate bit flipped; the stored elements do not change.",
    .view = toggle_conjugate_bit,
    .grad = {wrt("self", [](Grad g) { return conj(g); })},
    .batch = batch_leading,
});

MT_OP(OpDef{
    .schema = {"conj(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = R"(Returns the complex conjugate, ``a - bi`` for ``a + bi``, as a lazy view.

The result of a complex tensor shares memory with `self` and only has its conjugate bit set
(``torch.is_conj``); operators read the elements as conjugates. ``torch.resolve_conj`` or
``torch.conj_physical`` write them out. A real tensor comes back itself. Sparse tensors are computed
at once.

Args:
    self (Tensor): tensor of any dtype.

Returns:
    Tensor: a view of a complex `self`, otherwise `self`.

Example:
    >>> x = torch.tensor([1 + 2j, 3 - 1j])
    >>> y = torch.conj(x)
    >>> y
    tensor([1.-2.j, 3.+1.j])
    >>> y.is_conj(), y.data_ptr() == x.data_ptr()
    (True, True))",
    .composite = [](const Tensor& self) -> Tensor {
      if (is_sparse(self)) return op<"conj_physical">(self);
      return is_complex(self.dtype()) ? op<"_conj">(self) : self;
    },
});

}  // namespace
}  // namespace mt
