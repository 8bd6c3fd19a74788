// min, amin and argmin: the smallest element, and where it is.
#include "dispatch/out_words.h"
#include "rules/exact_out.h"
#include "rules/extremes.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"min(Tensor self) -> Tensor"},
    .forms = function | method | out,
    .doc = "The smallest element; NaN if there is one.",
    .rule = structured([](Specs& out, const Tensor& self) {
      check(self.numel() > 0,
            "min(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.");
      out.add({}, self.dtype());
    }),
    .cpu = [](const Tensor& self, Tensor& out) { reduce_extreme<false>(self, reduced_dims(std::nullopt, self.dim()), out, "min_all"); },
    .npu = {"Min"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, Out<"result"> y) { return extreme_gradient(g, x, y, {}); })},
    .grad_name = "MinBackward1",
});
MT_OP(OpDef{
    .schema = {"min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"},
    .forms = function | method | out,
    .doc = "The smallest element of each line along `dim`, and its index.",
    .rule = structured([](Specs& out, const Tensor& self, int64_t dim, bool keepdim) {
      const uint64_t mask = reduced_dims(IntList{dim}, self.dim());
      check_not_empty("min", self, mask);
      const Dims sizes = reduced_sizes(self.sizes(), mask, keepdim);
      out.add(sizes, self.dtype());
      out.add(sizes, Dtype::int64);
    }),
    .cpu = [](const Tensor& self, int64_t dim, bool, Tensor& values, Tensor& indices) {
      reduce_extreme_and_place<false>(self, dim, values, indices, "min");
    },
    .npu = {"MinDim"},
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim, In<"keepdim", bool> keepdim, Out<"indices"> indices) {
      const int64_t ndim = self.sizes.size();
      Tensor zeros = op<"zeros">(self.sizes, g.dtype(), nullptr, g.device());
      return op<"scatter.src">(zeros, *dim, restore_dims(indices, IntList{*dim}, *keepdim, ndim),
                               restore_dims(g, IntList{*dim}, *keepdim, ndim));
    })},
    .grad_name = "MinBackward0",
});
MT_OP(OpDef{
    .schema = {"min.other(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = "The smaller of two elements.",
    .composite = [](const Tensor& a, const Tensor& b) -> Tensor { return op<"minimum">(a, b); },
});
MT_OP(OpDef{
    .schema = {"amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .doc = "The smallest element over `dim` (all dimensions for an empty list); ties share the gradient.",
    .rule = structured_exact(
        [](Specs& out, const Tensor& self, IntList dim, bool keepdim) {
          const uint64_t mask = reduced_dims(dim, self.dim());
          if (dim.empty() && self.numel() == 0)
            fail(
                "amin(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' "
                "argument.");
          check_none_empty("amin", self, dim);
          out.add(reduced_sizes(self.sizes(), mask, keepdim), self.dtype());
        },
        {.dtype_text = "Expected the dtype for input and out to match, but got {} for input's dtype and {} for out's dtype."}),
    .cpu = [](const Tensor& self, IntList dim, bool,
              Tensor& out) { reduce_extreme<false>(self, reduced_dims(dim, self.dim()), out, "min_values_cpu"); },
    .npu = {"Amin"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, Out<"result"> y, In<"dim", IntList> dim, In<"keepdim", bool> keepdim) {
                   return extreme_gradient(restore_dims(g, *dim, *keepdim, x.dim()), x, restore_dims(y, *dim, *keepdim, x.dim()), *dim);
                 })},
});
MT_OP(OpDef{
    .schema = {"argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .doc = "The index of the smallest element of each line along `dim`, or of the flattened tensor.",
    .rule = structured_exact([](Specs& out, const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
      check(!is_complex(self.dtype()), "argmin(): does not support complex input");
      check(self.dtype() != Dtype::boolean, "argmin(): does not support bool input");
      if (!dim) {
        check(
            self.numel() > 0, ErrorKind::index,
            "argmin(): Expected reduction dim to be specified for input.numel() == 0.");
        out.add(keepdim ? Dims(self.dim(), 1) : Dims(), Dtype::int64);
        return;
      }
      const uint64_t mask = reduced_dims(IntList{*dim}, self.dim());
      check_not_empty("argmin", self, mask);
      out.add(reduced_sizes(self.sizes(), mask, keepdim), Dtype::int64);
    }),
    .cpu = [](const Tensor& self, std::optional<int64_t> dim, bool, Tensor& out) {
      if (!self.device().is_cpu()) return place_by_lines<false>(self, dim, out);
      reduce_place<false>(self, dim ? reduced_dims(IntList{*dim}, self.dim()) : reduced_dims(std::nullopt, self.dim()), out, "argmin_cpu");
    },
    .npu = {any_device},
    .grad = not_differentiable,
});

MT_OUT("argmin", .device = "Expected out tensor to have device {}, but got {} instead");

}  // namespace
}  // namespace mt
