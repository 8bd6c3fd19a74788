// all: whether all elements are non-zero.
#include "rules/reducers.h"

namespace mt {
namespace {

Dtype result_dtype(const Tensor& self) { return self.dtype() == Dtype::uint8 ? Dtype::uint8 : Dtype::boolean; }
void run(const Tensor& self, uint64_t mask, const Tensor& out) {
  Tensor result = out.dtype() == Dtype::boolean ? out : empty(out.sizes(), Dtype::boolean);
  dispatch_all(self.dtype(), "all_cpu", [&]<class T>(Type<T>) { reduce<AllReducer, T, bool>(self, mask, result, {}); });
  if (result.get() != out.get()) copy_into(out, result);
}

MT_OP(OpDef{
    .schema = {"all(Tensor self) -> Tensor"},
    .forms = function | method | out,
    .doc = "Whether all elements are non-zero.",
    .rule = structured([](Specs& out, const Tensor& self) { out.add({}, result_dtype(self)); }),
    .cpu = [](const Tensor& self, Tensor& out) { run(self, reduced_dims(std::nullopt, self.dim()), out); },
    .grad = not_differentiable,
});
MT_OP(OpDef{
    .schema = {"all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .doc = "Whether all elements are non-zero of each line along `dim`.",
    .rule = structured([](Specs& out, const Tensor& self, int64_t dim, bool keepdim) {
      out.add(reduced_sizes(self.sizes(), reduced_dims(IntList{dim}, self.dim()), keepdim), result_dtype(self));
    }),
    .cpu = [](const Tensor& self, int64_t dim, bool, Tensor& out) { run(self, reduced_dims(IntList{dim}, self.dim()), out); },
    .grad = not_differentiable,
});
MT_OP(OpDef{
    .schema = {"all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .doc = "Whether all elements are non-zero over several dimensions.",
    .rule = structured([](Specs& out, const Tensor& self, std::optional<IntList> dim, bool keepdim) {
      uint64_t mask = dim && dim->empty() ? 0 : reduced_dims(dim, self.dim());
      out.add(reduced_sizes(self.sizes(), mask, keepdim), result_dtype(self));
    }),
    .cpu = [](const Tensor& self, std::optional<IntList> dim, bool, Tensor& out) {
      run(self, dim && dim->empty() ? 0 : reduced_dims(dim, self.dim()), out);
    },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
