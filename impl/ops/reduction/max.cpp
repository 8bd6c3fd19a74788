// max, amax and argmax: the largest element, and where it is.
#include "dispatch/out_words.h"
#include "rules/exact_out.h"
#include "rules/extremes.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"max(Tensor self) -> Tensor"},
    .forms = function | method | out,
    .doc = "The largest element; NaN if there is one.",
    .rule = structured([](Specs& out, const Tensor& self) {
      check(self.numel() > 0,
            "max(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.");
      out.add({}, self.dtype());
    }),
    .cpu = [](const Tensor& self, Tensor& out) { reduce_extreme<true>(self, reduced_dims(std::nullopt, self.dim()), out, "max_all"); },
    .npu = {"Max"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, Out<"result"> y) { return extreme_gradient(g, x, y, {}); })},
    .grad_name = "MaxBackward1",
});
MT_OP(OpDef{
    .schema = {"max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"},
    .forms = function | method | out,
    .doc = "The largest element of each line along `dim`, and its index.",
    .rule = structured([](Specs& out, const Tensor& self, int64_t dim, bool keepdim) {
      const uint64_t mask = reduced_dims(IntList{dim}, self.dim());
      check_not_empty("max", self, mask);
      const Dims sizes = reduced_sizes(self.sizes(), mask, keepdim);
      out.add(sizes, self.dtype());
      out.add(sizes, Dtype::int64);
    }),
    .cpu = [](const Tensor& self, int64_t dim, bool, Tensor& values, Tensor& indices) {
      reduce_extreme_and_place<true>(self, dim, values, indices, "max");
    },
    .npu = {"MaxDim"},
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim, In<"keepdim", bool> keepdim, Out<"indices"> indices) {
      const int64_t ndim = self.sizes.size();
      Tensor zeros = op<"zeros">(self.sizes, g.dtype(), nullptr, g.device());
      return op<"scatter.src">(zeros, *dim, restore_dims(indices, IntList{*dim}, *keepdim, ndim),
                               restore_dims(g, IntList{*dim}, *keepdim, ndim));
    })},
    .grad_name = "MaxBackward0",
});
MT_OP(OpDef{
    .schema = {"max.other(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = "The larger of two elements.",
    .composite = [](const Tensor& a, const Tensor& b) -> Tensor { return op<"maximum">(a, b); },
});
MT_OP(OpDef{
    .schema = {"amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .doc = "The largest element over `dim` (all dimensions for an empty list); ties share the gradient.",
    .rule = structured_exact(
        [](Specs& out, const Tensor& self, IntList dim, bool keepdim) {
          const uint64_t mask = reduced_dims(dim, self.dim());
          if (dim.empty() && self.numel() == 0)
            fail(
                "amax(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' "
                "argument.");
          check_none_empty("amax", self, dim);
          out.add(reduced_sizes(self.sizes(), mask, keepdim), self.dtype());
        },
        {.dtype_text = "Expected the dtype for input and out to match, but got {} for input's dtype and {} for out's dtype."}),
    .cpu = [](const Tensor& self, IntList dim, bool,
              Tensor& out) { reduce_extreme<true>(self, reduced_dims(dim, self.dim()), out, "max_values_cpu"); },
    .npu = {"Amax"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, Out<"result"> y, In<"dim", IntList> dim, In<"keepdim", bool> keepdim) {
                   return extreme_gradient(restore_dims(g, *dim, *keepdim, x.dim()), x, restore_dims(y, *dim, *keepdim, x.dim()), *dim);
                 })},
});
MT_OP(OpDef{
    .schema = {"argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .doc = "The index of the largest element of each line along `dim`, or of the flattened tensor.",
    .rule = structured_exact([](Specs& out, const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
      check(!is_complex(self.dtype()), "argmax(): does not support complex input");
      check(self.dtype() != Dtype::boolean, "argmax(): does not support bool input");
      if (!dim) {
        check(
            self.numel() > 0, ErrorKind::index,
            "argmax(): Expected reduction dim to be specified for input.numel() == 0.");
        out.add(keepdim ? Dims(self.dim(), 1) : Dims(), Dtype::int64);
        return;
      }
      const uint64_t mask = reduced_dims(IntList{*dim}, self.dim());
      check_not_empty("argmax", self, mask);
      out.add(reduced_sizes(self.sizes(), mask, keepdim), Dtype::int64);
    }),
    .cpu = [](const Tensor& self, std::optional<int64_t> dim, bool, Tensor& out) {
      if (!self.device().is_cpu()) return place_by_lines<true>(self, dim, out);
      reduce_place<true>(self, dim ? reduced_dims(IntList{*dim}, self.dim()) : reduced_dims(std::nullopt, self.dim()), out, "argmax_cpu");
    },
    .npu = {any_device},
    .grad = not_differentiable,
});

MT_OUT("argmax", .device = "Expected out tensor to have device {}, but got {} instead");

}  // namespace
}  // namespace mt
