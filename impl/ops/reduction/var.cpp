// var, std: the variance over `dim`: squared deviations divided by n - `correction` (1 unless given).
#include "rules/variance.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& self, std::optional<IntList> dim, std::optional<Scalar>, bool keepdim) {
  add_variance_spec(out, "std and var", self, dim, keepdim);
};

MT_OP(OpDef{
    .schema = {"var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .doc = "The variance over `dim`: squared deviations divided by n - `correction` (1 unless given).",
    .rule = structured(shape),
    .cpu = [](const Tensor& self, std::optional<IntList> dim, std::optional<Scalar> c, bool,
              Tensor& out) { reduce_variance<false>("var", self, dim, c, out); },
    .npu = {"VarCorrection(self, dim, correction:int, keepdim)"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"dim", std::optional<IntList>> dim, In<"correction", std::optional<Scalar>> c,
                            In<"keepdim", bool> keepdim) { return var_grad(g, x, *dim, *c, *keepdim); })},
    .grad_name = "VarBackward0",
});

MT_OP(OpDef{
    .schema = {"std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .doc = "The standard deviation over `dim`.",
    .rule = structured(shape),
    .cpu = [](const Tensor& self, std::optional<IntList> dim, std::optional<Scalar> c, bool,
              Tensor& out) { reduce_variance<true>("std", self, dim, c, out); },
    .npu = {"StdCorrection(self, dim, correction:int, keepdim)"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, Out<"result"> y, In<"dim", std::optional<IntList>> dim, In<"correction", std::optional<Scalar>> c,
                    In<"keepdim", bool> keepdim) { return std_grad(g, x, y, *dim, *c, *keepdim); })},
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
