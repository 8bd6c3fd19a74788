// scatter and scatter_add: elements placed into lines, by index.
#include "core/warn_once.h"
#include "rules/indexing.h"

namespace mt {
namespace {

void check_shapes(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  const int64_t d = wrap_dim(dim, self.dim());
  if (index.numel() == 0) return;
  check(index.dtype() == Dtype::int64 || index.dtype() == Dtype::int32, "scatter(): Expected dtype int32/int64 for index");
  const int64_t ni = index.dim() ? index.dim() : 1;
  check(ni == (self.dim() ? self.dim() : 1), "Index tensor must have the same number of dimensions as self tensor");
  check(!src.defined() || ni == (src.dim() ? src.dim() : 1), "Index tensor must have the same number of dimensions as src tensor");
  bool fits = true;
  auto size = [](const Tensor& t, int64_t k) { return t.dim() ? t.size(k) : 1; };
  for (int64_t k = 0; k < ni; ++k) {
    fits &= k == d || size(index, k) <= size(self, k);
    fits &= !src.defined() || size(index, k) <= size(src, k);
  }
  if (fits) return;
  if (src.defined()) fail("Expected index {} to be no larger than self {} apart from dimension {} and to be no larger size than src {}", index.sizes(), self.sizes(), d, src.sizes());
  fail("Expected index {} to be no larger than self {} apart from dimension {}", index.sizes(), self.sizes(), d);
}
Tensor copy_of(const Tensor& t) {
  Tensor out = empty_strided(t.sizes(), t.is_non_overlapping_and_dense() ? Dims(t.strides()) : contiguous_strides(t.sizes()), t.dtype(), t.device());
  if (!t.is_meta()) copy_into(out, t);
  return out;
}
Tensor wide_index(const Tensor& index) {
  if (index.dtype() == Dtype::int64) return index;
  Tensor out = empty(index.sizes(), Dtype::int64);
  copy_into(out, index);
  return out;
}

constexpr auto placed = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) -> Tensor {
  check_shapes(self, dim, index, src);
  check(self.dtype() == src.dtype(), "scatter(): Expected self.dtype to be equal to src.dtype");
  Tensor out = copy_of(self);
  if (out.is_meta() || index.numel() == 0) return out;
  dispatch_by_size(self.itemsize(), [&]<class T>(Type<T>) {
    walk_lines(out, src, wide_index(index), wrap_dim(dim, self.dim()), [](char* to, const char* from) { *reinterpret_cast<T*>(to) = *reinterpret_cast<const T*>(from); }, false);
  });
  return out;
};
MT_OP(OpDef{
    .schema = {"scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", "scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` with out[index[i][j]][j] = src[i][j] for dim 0, and so on; later writes win.",
    .cpu = placed,
    .meta = placed,
    .grad = {wrt("self", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return op<"scatter.value">(g, *dim, index, 0); }),
             wrt("src", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return op<"gather">(g, *dim, index); })},
    .overloads = {overload("value", {.cpu = [](const Tensor& self, int64_t dim, const Tensor& index, Scalar value) -> Tensor {
                                       check_shapes(self, dim, index, Tensor());
                                       Tensor one = scalar_tensor(value, self.dtype());
                                       Dims zero(index.dim(), 0);
                                       return placed(self, dim, index, alias(one, index.sizes(), zero, 0));
                                     },
                                     .meta = [](const Tensor& self, int64_t, const Tensor&, Scalar) -> Tensor { return copy_of(self); },
                                     .grad = {wrt("self", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return op<"scatter.value">(g, *dim, index, 0); })},
                                     .grad_name = "ScatterBackward1"})},
});

constexpr auto summed = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) -> Tensor {
  check_shapes(self, dim, index, src);
  check(self.dtype() == src.dtype(), "scatter(): Expected self.dtype to be equal to src.dtype");
  Tensor out = copy_of(self);
  if (out.is_meta() || index.numel() == 0) return out;
  dispatch_all(self.dtype(), "scatter_add_", [&]<class T>(Type<T>) {
    walk_lines(out, src, wide_index(index), wrap_dim(dim, self.dim()), [](char* to, const char* from) {
      T& target = *reinterpret_cast<T*>(to);
      const T& add = *reinterpret_cast<const T*>(from);
      if constexpr (std::is_same_v<T, bool>) target = target || add;
      else target = T(ComputeType<T>(target) + ComputeType<T>(add));
    }, false);
  });
  return out;
};
MT_OP(OpDef{
    .schema = {"scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` with out[index[i][j]][j] += src[i][j] for dim 0, and so on.",
    .cpu = summed,
    .meta = summed,
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }),
             wrt("src", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return op<"gather">(g, *dim, index); })},
});

// Older form of scatter_reduce: self[index] (op)= src.
constexpr auto combined = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Text reduce) -> Tensor {
  static std::atomic<bool> given;
  warn_once(given,
            "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch release. Use "
            "torch.scatter_reduce instead for more reduction options.");
  const bool add = reduce == "add";
  check(add || reduce == "multiply", "reduce argument must be either add or multiply.");
  if (add) return summed(self, dim, index, src);
  check_shapes(self, dim, index, src);
  check(self.dtype() == src.dtype(), "scatter(): Expected self.dtype to be equal to src.dtype");
  Tensor out = copy_of(self);
  if (out.is_meta() || index.numel() == 0) return out;
  dispatch_all(self.dtype(), "scatter_multiply_", [&]<class T>(Type<T>) {
    walk_lines(out, src, wide_index(index), wrap_dim(dim, self.dim()), [](char* to, const char* from) {
      T& target = *reinterpret_cast<T*>(to);
      const T& factor = *reinterpret_cast<const T*>(from);
      if constexpr (std::is_same_v<T, bool>) target = target && factor;
      else target = T(ComputeType<T>(target) * ComputeType<T>(factor));
    }, false);
  });
  return out;
};
constexpr auto combined_value = [](const Tensor& self, int64_t dim, const Tensor& index, Scalar value, Text reduce) -> Tensor {
  check_shapes(self, dim, index, Tensor());
  Tensor one = scalar_tensor(value, self.dtype(), self.device());
  Dims zero(index.dim(), 0);
  return combined(self, dim, index, alias(one, index.sizes(), zero, 0), reduce);
};
MT_OP(OpDef{
    .schema = {"scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor",
               "scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` with elements added or multiplied in by index, as `reduce` says.",
    .cpu = combined,
    .meta = combined,
    .overloads = {overload("value_reduce", {.cpu = combined_value, .meta = combined_value})},
});

}  // namespace
}  // namespace mt
