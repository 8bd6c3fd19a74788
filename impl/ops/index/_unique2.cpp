// _unique2: the distinct elements, sorted.
#include <algorithm>

#include "rules/reduction/rows.h"
#include "rules/reduction/runs.h"
#include "vmap/rule.h"

namespace mt {
namespace {

// With only 256 possible bytes, each value is counted in a table, in the order of the dtype.
Tensors<3> unique_bytes(const Tensor& given, bool inverse, bool counts) {
  const Tensor self = dense(given);
  const uint8_t* const bytes = static_cast<const uint8_t*>(self.data());
  const int64_t n = self.numel();
  int64_t found[2][256] = {};  // two tables, so that equal neighbours do not wait for each other
  for (int64_t i = 0; i < n; ++i) ++found[i & 1][bytes[i]];
  uint8_t items[256];
  int64_t places[256], times[256], count = 0;
  const uint8_t lowest = self.dtype() == Dtype::int8 ? 128 : 0;
  for (int k = 0; k < 256; ++k) {
    const uint8_t byte = uint8_t(k + lowest);
    places[byte] = count;
    times[count] = found[0][byte] + found[1][byte];
    items[count] = byte;
    count += times[count] != 0;
  }
  Tensors<3> out{{empty({count}, self.dtype()), empty_int64(), empty_int64()}};
  std::copy_n(items, count, static_cast<uint8_t*>(out[0].data()));
  if (inverse) {
    out[1] = empty(self.sizes(), Dtype::int64);
    for (int64_t i = 0; i < n; ++i) out[1].data<int64_t>()[i] = places[bytes[i]];
  }
  if (counts) {
    out[2] = empty({count}, Dtype::int64);
    std::copy_n(times, count, out[2].data<int64_t>());
  }
  return out;
}

constexpr auto compute_unique2 = [](const Tensor& self, bool, bool inverse, bool counts) -> Tensors<3> {
  check(!is_complex(self.dtype()), ErrorKind::not_implemented, "\"unique\" not implemented for '{}'", self.dtype());
  BelowAutograd guard;
  if (self.itemsize() == 1 && is_integral(self.dtype(), true)) return unique_bytes(self, inverse, counts);
  auto sorted = op<"sort.stable", Tensors<2>>(op<"reshape">(self, IntList{-1}), true, 0, false);
  const Runs r = runs_of(sorted[0], inverse);
  Tensors<3> out{{op<"index_select">(sorted[0], 0, r.first), empty_int64(), empty_int64()}};
  if (inverse) {
    Tensor positions = op<"scatter.src">(op<"zeros">(IntList{self.numel()}, Dtype::int64), 0, sorted[1], r.run_of);
    out[1] = op<"view">(positions, self.sizes());
  }
  if (counts) out[2] = count_runs(r, self.numel());
  return out;
};

MT_OP(OpDef{
    .schema = {"_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Returns the different elements in order; also where each went and how often each occurs, if asked.

``torch.unique`` calls it. What is not asked for comes back empty.)",
    .cpu = compute_unique2,
    .npu = {"Unique2(self, sorted, return_inverse, return_counts, out=items, out=places, out=counts)"},
    .grad = {wrt("self", [](Grad) -> Tensor { fail(ErrorKind::not_implemented, "the derivative for '_unique2' is not implemented."); })},
    .no_forward = true,
    .batch = batch_dynamic,
});

}  // namespace
}  // namespace mt
