// mv, addmv, dot, vdot, outer: products with vectors.
#include "rules/matmul.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"mv(Tensor self, Tensor vec) -> Tensor"},
    .forms = function | method | out,
    .doc = "The product of a matrix (n x m) and a vector (m).",
    .rule = structured([](Specs& out, const Tensor& self, const Tensor& vec) {
      check(self.dim() == 2 && vec.dim() == 1, "vector + matrix @ vector expected, got 1, {}, {}", self.dim(), vec.dim());
      check(self.size(1) == vec.size(0), "size mismatch, got input ({}), mat ({}x{}), vec ({})", self.size(0), self.size(0), self.size(1), vec.size(0));
      check(self.dtype() == vec.dtype(), "expected scalar type {} but found {}", self.dtype(), vec.dtype());
      out.add(IntList{self.size(0)}, self.dtype());
    }),
    .cpu = [](const Tensor& self, const Tensor& vec, Tensor& out) {
      Tensor column = alias(vec, {vec.size(0), 1}, {vec.stride(0), 1}, vec.storage_offset());
      Tensor result = alias(out, {out.size(0), 1}, {out.stride(0), 1}, out.storage_offset());
      matrix_product(result, self, column, Tensor(), 0, 1);
    },
    .grad = {wrt("self", [](Grad g, In<"vec"> v) { return op<"outer">(g, conj(v)); }),
             wrt("vec", [](Grad g, In<"self"> m) { return op<"mv">(conj(op<"t">(m)), g); })},
});

MT_OP(OpDef{
    .schema = {"addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "beta * `self` + alpha * (`mat` @ `vec`).",
    .composite = [](const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta, Scalar alpha) -> Tensor {
      check(mat.dim() == 2 && vec.dim() == 1 && self.dim() <= 1, "vector + matrix @ vector expected, got {}, {}, {}", self.dim(), mat.dim(), vec.dim());
      check(mat.size(1) == vec.size(0) && (self.numel() == mat.size(0) || self.numel() == 1),
            "size mismatch, got input ({}), mat ({}x{}), vec ({})", self.dim() ? self.size(0) : 1, mat.size(0), mat.size(1), vec.size(0));
      Tensor product = op<"mv">(mat, vec);
      if (!alpha.equals(1)) product = product * alpha;
      if (beta.equals(0)) return product;
      return op<"add">(beta.equals(1) ? self : self * beta, product);
    },
});

constexpr auto check_vectors = [](const Tensor& a, const Tensor& b) {
  check(a.dim() == 1 && b.dim() == 1, "1D tensors expected, but got {}D and {}D tensors", a.dim(), b.dim());
  check(a.dtype() == b.dtype(), "dot : expected both vectors to have same dtype, but found {} and {}", a.dtype(), b.dtype());
  check(a.numel() == b.numel(), "inconsistent tensor size, expected tensor [{}] and src [{}] to have the same number of elements, but got {} and {} elements respectively",
        a.numel(), b.numel(), a.numel(), b.numel());
};

MT_OP(OpDef{
    .schema = {"dot(Tensor self, Tensor tensor) -> Tensor"},
    .forms = function | method | out,
    .doc = "The sum of products of two vectors; complex numbers are not conjugated.",
    .rule = structured([](Specs& out, const Tensor& a, const Tensor& b) {
      check_vectors(a, b);
      out.add({}, a.dtype());
    }),
    .cpu = [](const Tensor& a, const Tensor& b, Tensor& out) {
      Tensor row = alias(a, {1, a.size(0)}, {1, a.stride(0)}, a.storage_offset());
      Tensor column = alias(b, {b.size(0), 1}, {b.stride(0), 1}, b.storage_offset());
      matrix_product(alias(out, {1, 1}, {1, 1}, out.storage_offset()), row, column, Tensor(), 0, 1);
    },
    .grad = {wrt("self", [](Grad g, In<"tensor"> b) { return g * conj(b); }), wrt("tensor", [](Grad g, In<"self"> a) { return g * conj(a); })},
});
MT_OP(OpDef{
    .schema = {"vdot(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = "The sum of products of two vectors, the first conjugated.",
    .composite = [](const Tensor& a, const Tensor& b) -> Tensor { return op<"dot">(conj(a), b); },
});
MT_OP(OpDef{
    .schema = {"outer(Tensor self, Tensor vec2) -> Tensor"},
    .forms = function | method | out,
    .doc = "The matrix of products of each element of one vector with each of another.",
    .aliases = "ger",
    .composite = [](const Tensor& a, const Tensor& b) -> Tensor {
      check(a.dim() == 1, "outer: Expected 1-D argument self, but got {}-D", a.dim());
      check(b.dim() == 1, "outer: Expected 1-D argument vec2, but got {}-D", b.dim());
      return op<"reshape">(a, IntList{a.size(0), 1}) * b;
    },
});

}  // namespace
}  // namespace mt
