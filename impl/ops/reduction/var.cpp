// var, std: the variance over `dim`: squared deviations divided by n - `correction` (1 unless given).
#include "rules/reducers.h"

namespace mt {
namespace {

// Running mean and sum of squared deviations; merged by Chan's formula.
template <class C>
struct Moments {
  using Acc = struct {
    double mean, m2, n;
  };
  using Wide = Acc;
  static constexpr int lanes = 1;
  double correction;
  bool root;
  static Acc init() { return {0, 0, 0}; }
  template <class In>
  static void step(Acc& a, const In& v, int64_t) {
    a.n += 1;
    const double d = double(C(v)) - a.mean;
    a.mean += d / a.n;
    a.m2 += d * (double(C(v)) - a.mean);
  }
  static Acc merge(Acc a, Acc b) {
    if (a.n == 0) return b;
    if (b.n == 0) return a;
    const double n = a.n + b.n, d = b.mean - a.mean;
    return {a.mean + d * b.n / n, a.m2 + b.m2 + d * d * a.n * b.n / n, n};
  }
  static void shift(Acc&, int64_t) {}
  static Acc widen(Acc a) { return a; }
  static Acc merge_wide(Acc a, Acc b) { return merge(a, b); }
  C finish(Acc a, int64_t n) const {
    const double divisor = double(n) - correction > 0 ? double(n) - correction : 0;
    const double v = n == 0 ? __builtin_nan("") : a.m2 / divisor;
    return C(root ? __builtin_sqrt(v) : v);
  }
};

Dims dims_of(std::optional<IntList> dim) { return dim ? Dims(*dim) : Dims(); }

void check_floating(const char* name, const Tensor& self) {
  check(is_differentiable(self.dtype()), "{} only support floating point and complex dtypes", name);
}

constexpr auto shape = [](Specs& out, const Tensor& self, std::optional<IntList> dim, std::optional<Scalar>, bool keepdim) {
  check_floating("std and var", self);
  out.add(reduced_sizes(self.sizes(), reduced_dims(dim, self.dim()), keepdim), real_of(self.dtype()));
};

template <bool Root>
void run(const Tensor& self, std::optional<IntList> dim, std::optional<Scalar> correction, Tensor& out) {
  const uint64_t mask = reduced_dims(dim, self.dim());
  const double c = correction ? correction->to_double() : 1.0;
  int64_t n = 1;
  for (int64_t d = 0; d < self.dim(); ++d)
    if (mask >> d & 1) n *= self.size(d);
  if (double(n) - c <= 0) warn("{}: degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel divided by output numel).", Root ? "std()" : "var()");
  if (is_complex(self.dtype())) {  // the variances of both parts
    BelowAutograd guard;
    Tensor parts = op<"view_as_real">(op<"resolve_conj">(self));
    Tensor v = op<"var.correction">(op<"select">(parts, -1, 0), dim, correction) + op<"var.correction">(op<"select">(parts, -1, 1), dim, correction);
    copy_into(out, op<"reshape">(Root ? op<"sqrt">(v) : v, out.sizes()));
    return;
  }
  dispatch_floating(self.dtype(), "std_cpu", [&]<class T>(Type<T>) { reduce<Moments<ComputeType<T>>, T, T>(self, mask, out, {c, Root}); });
}

int64_t count(const TensorMeta& self, std::optional<IntList> dim) {
  const uint64_t mask = reduced_dims(dim, self.sizes.size());
  int64_t n = 1;
  for (int64_t d = 0; d < self.sizes.size(); ++d)
    if (mask >> d & 1) n *= self.sizes[d];
  return n;
}

Tensor var_grad(const Tensor& g, const Tensor& x, std::optional<IntList> dim, std::optional<Scalar> correction, bool keepdim) {
  TensorMeta meta;
  meta.sizes = x.sizes();
  const double divisor = double(count(meta, dim)) - (correction ? correction->to_double() : 1.0);
  Tensor mean = op<"mean.dim">(x, dims_of(dim), true);
  return restore_dims(g, dim, keepdim, x.dim()) * ((x - mean) * (2.0 / divisor));
}

MT_OP(OpDef{
    .schema = {"var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .doc = "The variance over `dim`: squared deviations divided by n - `correction` (1 unless given).",
    .rule = structured(shape),
    .cpu = [](const Tensor& self, std::optional<IntList> dim, std::optional<Scalar> c, bool, Tensor& out) { run<false>(self, dim, c, out); },
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"dim", std::optional<IntList>> dim, In<"correction", std::optional<Scalar>> c, In<"keepdim", bool> keepdim) {
      return var_grad(g, x, *dim, *c, *keepdim);
    })},
    .grad_name = "VarBackward0",
});

MT_OP(OpDef{
    .schema = {"std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .doc = "The standard deviation over `dim`.",
    .rule = structured(shape),
    .cpu = [](const Tensor& self, std::optional<IntList> dim, std::optional<Scalar> c, bool, Tensor& out) { run<true>(self, dim, c, out); },
    .grad = {wrt("self", [](Grad g, In<"self"> x, Out<"result"> y, In<"dim", std::optional<IntList>> dim, In<"correction", std::optional<Scalar>> c,
                            In<"keepdim", bool> keepdim) {
      Tensor per = op<"masked_fill">(g / (y * 2), op<"eq">(y, 0), 0);
      return var_grad(per, x, *dim, *c, *keepdim);
    })},
    .grad_name = "StdBackward0",
});

template <Name N>
Tensor unbiased(const Tensor& self, std::optional<IntList> dim, bool biased_by_one, bool keepdim) {
  return op<N>(self, dim, Scalar(biased_by_one ? 1 : 0), keepdim);
}

MT_OP(OpDef{
    .schema = {"var(Tensor self, bool unbiased=True) -> Tensor"},
    .forms = function | method,
    .doc = "The variance; divided by n - 1 where `unbiased`.",
    .composite = [](const Tensor& self, bool one) -> Tensor { return unbiased<"var.correction">(self, std::nullopt, one, false); },
});
MT_OP(OpDef{
    .schema = {"var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .doc = "The variance over `dim`; divided by n - 1 where `unbiased`.",
    .composite = [](const Tensor& self, std::optional<IntList> dim, bool one, bool keepdim) -> Tensor {
      return unbiased<"var.correction">(self, dim, one, keepdim);
    },
});

MT_OP(OpDef{
    .schema = {"std(Tensor self, bool unbiased=True) -> Tensor"},
    .forms = function | method,
    .doc = "The standard deviation; divided by n - 1 where `unbiased`.",
    .composite = [](const Tensor& self, bool one) -> Tensor { return unbiased<"std.correction">(self, std::nullopt, one, false); },
});
MT_OP(OpDef{
    .schema = {"std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .doc = "The standard deviation over `dim`; divided by n - 1 where `unbiased`.",
    .composite = [](const Tensor& self, std::optional<IntList> dim, bool one, bool keepdim) -> Tensor {
      return unbiased<"std.correction">(self, dim, one, keepdim);
    },
});

}  // namespace
}  // namespace mt
