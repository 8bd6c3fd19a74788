// sort: the elements in order along `dim` and where they were; equal elements keep their order. NaN is the largest.
#include "rules/factory.h"
#include "rules/sorting.h"

namespace mt {
namespace {

constexpr auto kernel = [](const Tensor& self, std::optional<bool>, int64_t dim, bool descending, Tensor& values, Tensor& indices) {
  const int64_t d = wrap_dim(dim, self.dim());
  sort_along<true>(self, d, self.dim() ? self.size(d) : 1, values, indices, "sort",
             [&]<class T>(Type<T>, int64_t rows, int64_t n, auto in, auto v, auto i) { cpu::sort_rows<T>(rows, n, in, descending, v, i); });
};

constexpr auto shape = [](Specs& out, const Tensor& self, std::optional<bool>, int64_t dim, bool) {
  wrap_dim(dim, self.dim());
  check(!is_complex(self.dtype()), " Sort does not support complex dtypes on CPU");
  const Dims strides = strides_like(self);
  out.add_strided(self.sizes(), strides, self.dtype());
  out.add_strided(self.sizes(), strides, Dtype::int64);
};

MT_OP(OpDef{
    .schema = {"sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)"},
    .forms = function | method | out,
    .doc = "The elements in order along `dim` and where they were.",
    .rule = structured([](Specs& out, const Tensor& self, int64_t dim, bool descending) {
      shape(out, self, std::nullopt, dim, descending);
    }),
    .cpu = [](const Tensor& self, int64_t dim, bool descending, Tensor& v,
              Tensor& i) { kernel(self, std::nullopt, dim, descending, v, i); },
    .npu = {"Sort(self, 0, dim, descending)"},
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim, Out<"indices"> i) { return picked_gradient(g, self, *dim, i); })},
});

MT_OP(OpDef{
    .schema = {"sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)"},
    .forms = function | method | out,
    .doc = "The elements in order along `dim` and where they were; equal elements keep their order. NaN is the largest.",
    .rule = structured(shape),
    .cpu = kernel,
    .npu = {"Sort(self, stable, dim, descending)"},
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim, Out<"indices"> i) { return picked_gradient(g, self, *dim, i); })},
    .grad_name = "SortBackward1",
});

}  // namespace
}  // namespace mt
