// linalg_tensorsolve: the solution of tensordot(self, X) = other.
#include "dispatch/out_words.h"
#include "rules/linalg.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor"},
    .forms = function | out,
    .doc = "X with tensordot(self, X, X.ndim) = other; the dimensions `dims` of `self` go to its end first.",
    .module = "linalg",
    .composite = [](const Tensor& a0, const Tensor& b, std::optional<IntList> dims) -> Tensor {
      Tensor a = a0;
      if (dims) {
        Dims to(dims->size());
        for (int64_t i = 0; i < dims->size(); ++i) to[i] = a.dim() - dims->size() + i;
        a = op<"movedim.intlist">(a, *dims, to);
      }
      check(b.dim() <= a.dim(), "cannot create std::vector larger than max_size()");
      const IntList of_x(a.sizes().data + b.dim(), a.dim() - b.dim());
      const int64_t columns = product(of_x);
      check(columns == b.numel(),
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            "but got {} != {}",
            columns, b.numel());
      const Tensor x = op<"linalg_solve">(op<"reshape">(a, IntList{columns, columns}), op<"reshape">(b, IntList{-1}));
      return op<"reshape">(x, of_x);
    },
});

MT_OUT("linalg_tensorsolve", .converts = true,
       .dtype = "tensorsolve: Expected result to be safely castable from {} dtype, but got result with dtype {}",
       .device = "tensorsolve: Expected result and input tensors to be on the same device, but got result on {1} and input on {0}",
       .recorded_as = written_as_leaf);

}  // namespace
}  // namespace mt
