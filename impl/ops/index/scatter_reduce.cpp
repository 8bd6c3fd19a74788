// scatter_reduce: elements combined into lines by index: sum, product, mean, largest or smallest.
#include "rules/in_place.h"
#include "rules/scatter.h"

namespace mt {
namespace {

constexpr auto reduced = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Text reduce,
                            bool include_self) -> Tensor {
  const Combine how = combine_of(reduce);
  check_scatter(self, dim, index, src);
  return scatter_reduced(self, dim, index, src, how, include_self, nullptr);
};

MT_OP(OpDef{
    .schema = {"scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` with src[i][j] combined into out[index[i][j]][j] for dim 0, and so on; `reduce` is sum, prod, mean, amax or amin.",
    .cpu = changing(reduced),
    .npu = {"ScatterReduce(self, dim, index, src, reduce=sum|prod|amax|amin|mean, include_self)"},
    .meta = reduced,
    .grad = {wrt({"self", "src"},
                 [](Grad g, In<"self"> self, In<"dim", int64_t> dim, In<"index"> index, In<"src"> src, In<"reduce", Text> reduce,
                    In<"include_self", bool> include_self, Out<"result"> result, Wanted wanted) {
                   return scatter_reduced_gradient(g, self, *dim, index, src, combine_of(*reduce), *include_self, result, wanted);
                 })},
});

}  // namespace
}  // namespace mt
