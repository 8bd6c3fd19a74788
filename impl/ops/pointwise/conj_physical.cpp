// conj_physical: the conjugate, stored in memory (not a lazy bit).
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto conj_of = [](auto x) { return conj_(x); };

MT_OP(OpDef{
    .schema = {"_conj_physical(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = "Computes the conjugate of each element of a complex tensor. conj_physical uses it.",
    .rule = pointwise(),
    .cpu = elementwise<conj_of, 1, dtypes::complex>("conj_cpu"),
    .sparse = [](const Tensor& self) -> Tensor {
      BelowAutograd guard;
      const Tensor copy = op<"clone">(self);
      return is_complex(self.dtype()) ? with_values(copy, op<"_conj_physical">(components_of(copy).values)) : copy;
    },
    .compressed = [](const Tensor& self) -> Tensor {
      if (!is_complex(self.dtype())) return self;
      BelowAutograd guard;
      return with_values(self, op<"_conj_physical">(components_of(self).values));
    },
    .grad = {wrt("self", [](Grad g) { return conj(g); })},
    .out_policy = OutPolicy{.takes_strides = true},
});
MT_OP(OpDef{
    .schema = {"conj_physical(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the conjugate of each element.

Unlike `torch.conj`, which makes a view that remembers to conjugate, the numbers are computed at
once. A real tensor is returned itself, not copied.

Args:
    self (Tensor): any shape and dtype.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> torch.conj_physical(torch.tensor([1 + 2j, 3 - 1j]))
    tensor([1.-2.j, 3.+1.j]))",
    .composite = [](const Tensor& self) -> Tensor { return is_complex(self.dtype()) ? op<"_conj_physical">(self) : self; },
    .out_policy = OutPolicy{.dtype_error = "Found dtype {1} but expected {0}", .recorded_as = "aten::conj_physical", .takes_strides = true},
});

}  // namespace
}  // namespace mt
