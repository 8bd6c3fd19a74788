// Shapes and memory plans of reductions.
#include "rules/reduction.h"

#include <algorithm>

namespace mt {

uint64_t reduced_dims(std::optional<IntList> dims, int64_t ndim) {
  check(ndim <= 64, "only tensors with up to 64 dims are supported");
  if (!dims || dims->empty()) return ndim == 64 ? ~uint64_t(0) : (uint64_t(1) << ndim) - 1;
  uint64_t mask = 0;
  for (int64_t d : *dims) {
    const int64_t w = wrap_dim(d, ndim);
    check(!(mask >> w & 1), "dim {} appears multiple times in the list of dims", w);
    mask |= uint64_t(1) << w;
  }
  return mask;
}

Dims reduced_sizes(IntList sizes, uint64_t mask, bool keepdim) {
  Dims out;
  for (int64_t d = 0; d < sizes.size(); ++d) {
    if (!(mask >> d & 1)) out.push_back(sizes[d]);
    else if (keepdim) out.push_back(1);
  }
  return out;
}

Tensor restore_dims(const Tensor& t, std::optional<IntList> dims, bool keepdim, int64_t ndim) {
  if (keepdim || ndim == 0 || !t.defined()) return t;
  const uint64_t mask = reduced_dims(dims, ndim);
  Tensor out = t;
  for (int64_t d = 0; d < ndim; ++d)
    if (mask >> d & 1) out = op<"unsqueeze">(out, d);
  return out;
}

Dtype sum_dtype(Dtype self, std::optional<Dtype> asked) {
  if (asked) return *asked;
  return is_integral(self, true) ? Dtype::int64 : self;
}

void check_not_empty(const char* name, const Tensor& self, uint64_t mask) {
  if (self.numel() != 0) return;
  for (int64_t d = 0; d < self.dim(); ++d)
    if (mask >> d & 1)
      check(self.size(d) != 0, ErrorKind::index, "{}(): Expected reduction dim {} to have non-zero size.", name, d);
}

ReductionPlan plan_reduction(const Tensor& self, uint64_t mask, const Tensor& out) {
  Dims kept_sizes, in_strides, out_strides;
  struct Run {
    int64_t size, stride;
  };
  Small<Run, 6> reduced;
  const bool keepdim = out.dim() == self.dim();
  int64_t out_d = 0;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (mask >> d & 1) {
      reduced.push_back({self.size(d), self.stride(d) * self.itemsize()});
      out_d += keepdim;
    } else {
      kept_sizes.push_back(self.size(d));
      in_strides.push_back(self.stride(d));
      out_strides.push_back(out.stride(out_d++));
    }
  }
  ReductionPlan plan(kept_sizes);
  plan.kept.add(out.data(), out.itemsize(), out_strides);
  plan.kept.add(self.data(), self.itemsize(), in_strides);
  plan.kept.finish();
  // Logical order is kept (indices of argmax count by it); neighbours that are one run in memory merge.
  for (int64_t i = reduced.size() - 1; i >= 0; --i) {
    const Run& r = reduced[i];
    plan.count *= r.size;
    if (r.size == 1) continue;
    const int64_t last = plan.sizes.size() - 1;
    if (last >= 0 && r.stride == plan.strides[last] * plan.sizes[last]) {
      plan.sizes[last] *= r.size;
    } else {
      plan.sizes.push_back(r.size);
      plan.strides.push_back(r.stride);
    }
  }
  if (plan.sizes.empty()) {
    plan.sizes.push_back(1);
    plan.strides.push_back(self.itemsize());
  }
  if (plan.count == 0) {
    plan.sizes.clear();
    plan.strides.clear();
    plan.sizes.push_back(1);
    plan.strides.push_back(self.itemsize());
  }
  return plan;
}

}  // namespace mt
