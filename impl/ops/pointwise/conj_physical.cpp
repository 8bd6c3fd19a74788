// conj_physical: the conjugate, computed.
#include "dispatch/out_words.h"
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/sparse.h"

namespace mt {
namespace {

constexpr auto conj_of = [](auto x) { return conj_(x); };

MT_OP(OpDef{
    .schema = {"_conj_physical(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = "The conjugate of each element of a complex tensor.",
    .rule = pointwise(),
    .cpu = elementwise<conj_of, 1, dtypes::complex>("conj_cpu"),
    .sparse = on_each_value,
    .compressed = [](const Tensor& self) -> Tensor {
      if (!is_complex(self.dtype())) return self;
      BelowAutograd guard;
      return with_values(self, op<"_conj_physical">(parts_of(self).values));
    },
    .grad = {wrt("self", [](Grad g) { return conj(g); })},
});
MT_OP(OpDef{
    .schema = {"conj_physical(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "The conjugate of each element; real tensors as they are.",
    .composite = [](const Tensor& self) -> Tensor { return is_complex(self.dtype()) ? op<"_conj_physical">(self) : self; },
});

MT_OUT("conj_physical", .dtype = "Found dtype {1} but expected {0}", .keeps_strides = true, .recorded_as = "aten::conj_physical");

}  // namespace
}  // namespace mt
