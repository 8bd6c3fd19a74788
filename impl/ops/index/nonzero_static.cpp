// nonzero_static: the indices of the first non-zero elements, in a matrix of a given number of rows.
#include <cstring>

#include "dispatch/out_words.h"
#include "rules/exact_out.h"
#include "rules/rows.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor"},
    .forms = function | method | out,
    .doc = "The indices of the first `size` non-zero elements as rows, in order; rows that are left over hold `fill_value`.",
    .rule = structured_exact([](Specs& out, const Tensor& self, int64_t size, int64_t) {
      check(size >= 0, "nonzero_static: 'size' must be an non-negative integer");
      out.add({size, self.dim()}, Dtype::int64);
    }),
    .cpu = [](const Tensor& self, int64_t size, int64_t fill_value, Tensor& out) {
      if (out.numel() == 0) return;
      BelowAutograd guard;
      const Tensor found = dense(op<"nonzero">(self));
      const int64_t have = std::min(size, found.size(0)) * self.dim();
      int64_t* to = out.data<int64_t>();
      if (have) std::memcpy(to, found.data(), size_t(have) * sizeof(int64_t));
      std::fill(to + have, to + out.numel(), fill_value);
    },
});

MT_OUT("nonzero_static", .dtype = "nonzero_static: Expected out tensor to have scalar type {} but got scalar type{}");

}  // namespace
}  // namespace mt
