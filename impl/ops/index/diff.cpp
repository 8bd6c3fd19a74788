// diff: differences of neighbours; hstack, vstack, dstack, column_stack.
#include <vector>
#include "rules/algebra.h"

namespace mt {
namespace {

constexpr auto differences = [](const Tensor& self, int64_t n, int64_t dim, const Tensor& prepend, const Tensor& append) -> Tensor {
  check(self.dim() >= 1, "diff expects input to be at least one-dimensional");
  check(n >= 0, "order must be non-negative but got {}", n);
  const int64_t d = wrap_dim(dim, self.dim());
  Tensor t = self;
  if (prepend.defined() || append.defined()) {
    std::vector<Tensor> parts;
    if (prepend.defined()) parts.push_back(prepend);
    parts.push_back(self);
    if (append.defined()) parts.push_back(append);
    t = op<"cat">(parts, d);
  }
  if (n > t.size(d)) n = t.size(d);
  for (int64_t i = 0; i < n; ++i) {
    Tensor a = op<"narrow">(t, d, 1, t.size(d) - 1), b = op<"narrow">(t, d, 0, t.size(d) - 1);
    t = t.dtype() == Dtype::boolean ? op<"logical_xor">(a, b) : a - b;
  }
  return n == 0 ? op<"clone">(t) : t;
};
MT_OP(OpDef{
    .schema = {"diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor"},
    .forms = function | method | out,
    .doc = "The n-th differences of neighbours along `dim`.",
    .composite = differences,
});

template <Name N>
std::vector<Tensor> lifted(TensorList tensors) {
  std::vector<Tensor> out;
  for (const Tensor& t : tensors) out.push_back(op<N>(t));
  return out;
}
MT_OP(OpDef{
    .schema = {"atleast_1d(Tensor self) -> Tensor"},
    .forms = function,
    .doc = "A tensor with at least one dimension.",
    .composite = [](const Tensor& t) -> Tensor { return t.dim() ? t : op<"reshape">(t, IntList{1}); },
});
MT_OP(OpDef{
    .schema = {"atleast_2d(Tensor self) -> Tensor"},
    .forms = function,
    .doc = "A tensor with at least two dimensions.",
    .composite = [](const Tensor& t) -> Tensor { return t.dim() == 0 ? op<"reshape">(t, IntList{1, 1}) : t.dim() == 1 ? op<"unsqueeze">(t, 0) : t; },
});
MT_OP(OpDef{
    .schema = {"atleast_3d(Tensor self) -> Tensor"},
    .forms = function,
    .doc = "A tensor with at least three dimensions.",
    .composite = [](const Tensor& t) -> Tensor {
      if (t.dim() == 0) return op<"reshape">(t, IntList{1, 1, 1});
      if (t.dim() == 1) return op<"unsqueeze">(op<"unsqueeze">(t, 0), -1);
      return t.dim() == 2 ? op<"unsqueeze">(t, -1) : t;
    },
});
MT_OP(OpDef{
    .schema = {"hstack(Tensor[] tensors) -> Tensor"},
    .forms = function | out,
    .doc = "Tensors joined side by side: along the second dimension, or the first of vectors.",
    .composite = [](TensorList tensors) -> Tensor {
      check(!tensors.empty(), "hstack expects a non-empty TensorList");
      auto parts = lifted<"atleast_1d">(tensors);
      return op<"cat">(parts, parts[0].dim() == 1 ? 0 : 1);
    },
});
MT_OP(OpDef{
    .schema = {"vstack(Tensor[] tensors) -> Tensor"},
    .forms = function | out,
    .doc = "Tensors joined one under another.",
    .aliases = "row_stack",
    .composite = [](TensorList tensors) -> Tensor {
      check(!tensors.empty(), "vstack expects a non-empty TensorList");
      return op<"cat">(lifted<"atleast_2d">(tensors), 0);
    },
});
MT_OP(OpDef{
    .schema = {"dstack(Tensor[] tensors) -> Tensor"},
    .forms = function | out,
    .doc = "Tensors joined along the third dimension.",
    .composite = [](TensorList tensors) -> Tensor {
      check(!tensors.empty(), "dstack expects a non-empty TensorList");
      return op<"cat">(lifted<"atleast_3d">(tensors), 2);
    },
});
MT_OP(OpDef{
    .schema = {"column_stack(Tensor[] tensors) -> Tensor"},
    .forms = function | out,
    .doc = "Vectors as columns, matrices side by side.",
    .composite = [](TensorList tensors) -> Tensor {
      check(!tensors.empty(), "column_stack expects a non-empty TensorList");
      std::vector<Tensor> parts;
      for (const Tensor& t : tensors) parts.push_back(t.dim() <= 1 ? op<"reshape">(t, IntList{t.numel(), 1}) : t);
      return op<"hstack">(parts);
    },
});

}  // namespace
}  // namespace mt
