// mode: the most frequent element of each line (the smallest of several), and the index of one such element.
#include <algorithm>

#include "rules/form/checked.h"
#include "rules/form/exact_out.h"
#include "rules/reduction/medians.h"

namespace mt {
namespace {

// All integers are sorted as int64.
template <class T>
using Wide = std::conditional_t<std::is_integral_v<T>, int64_t, ComputeType<T>>;
template <class W>
struct ValueAndIndex {
  W value;
  int64_t index;
};

template <class W>
void sort_items(std::vector<ValueAndIndex<W>>& items, bool has_nan) {
  auto before = [](const ValueAndIndex<W>& a, const ValueAndIndex<W>& b) { return a.value < b.value; };
  if (!has_nan) return std::sort(items.begin(), items.end(), before);
  // With NaN the comparison is no strict weak order: insertion sort tolerates that, and puts the elements of a short row in torch's order.
  if (items.size() <= 16) {
    for (size_t i = 1; i < items.size(); ++i) {
      if (before(items[i], items[0])) {
        std::rotate(items.begin(), items.begin() + long(i), items.begin() + long(i) + 1);
        continue;
      }
      for (size_t j = i; j > 0 && before(items[j], items[j - 1]); --j) std::swap(items[j], items[j - 1]);
    }
    return;
  }
  std::stable_sort(items.begin(), items.end(), [&](const ValueAndIndex<W>& a, const ValueAndIndex<W>& b) {
    const bool nan_a = isnan_(a.value), nan_b = isnan_(b.value);
    return nan_a || nan_b ? nan_a && !nan_b : before(a, b);
  });
}

template <class T>
void find_modes_of_rows(int64_t rows, int64_t n, cpu::Rows<const T> in, cpu::Rows<T> values, cpu::Rows<int64_t> indices) {
  cpu::parallel_for(0, rows, std::max<int64_t>(1, 2048 / n), [&](int64_t begin, int64_t end) {
    std::vector<ValueAndIndex<Wide<T>>> items(static_cast<size_t>(n));
    for (int64_t r = begin; r < end; ++r) {
      bool has_nan = false;
      for (int64_t i = 0; i < n; ++i) {
        items[size_t(i)] = {Wide<T>(in.data[r * in.row_stride + i]), i};
        has_nan |= isnan_(items[size_t(i)].value);
      }
      sort_items(items, has_nan);
      int64_t most = 0, count = 0, best = 0;
      for (int64_t i = 0; i < n; ++i) {
        ++count;
        if (i + 1 < n && items[size_t(i)].value == items[size_t(i) + 1].value) continue;
        if (count > most) most = count, best = i;
        count = 0;
      }
      values.data[r * values.row_stride] = T(items[size_t(best)].value);
      indices.data[r * indices.row_stride] = items[size_t(best)].index;
    }
  });
}

void refuse_out_of_other_dtypes(const Call& call) {
  if (call.op.form != Form::out) return;
  const auto refuse = [&](int result, Dtype expected, const char* name) {
    const Dtype found = Unbox<Tensor>::from(call.args[call.op.functional->n_args + result]).dtype();
    check(found == expected, "expected scalar type '{}' but got '{}' for {} output", expected, found, name);
  };
  refuse(0, Unbox<Tensor>::from(call.args[0]).dtype(), "values");
  refuse(1, Dtype::int64, "indices");
}

MT_OP(OpDef{
    .schema = {"mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)"},
    .forms = function | method | out,
    .form_overloads = {{"out", "values"}},
    .doc = R"(Finds the element that is most often in each line along `dim`, and an index of it.

Of several that are equally often it is the smallest. The gradient goes to the element at the
index.

Args:
    self (Tensor): any shape; not complex.
    dim (int): the dimension to reduce. Default: ``-1``.

Returns:
    tuple of Tensor: ``values``, in the dtype of `self`, and ``indices``, int64.

Example:
    >>> torch.mode(torch.tensor([[1, 3, 3, 2], [2, 1, 2, 1]]), dim=1).values
    tensor([3, 1]))",
    .rule = rule_after_check(refuse_out_of_other_dtypes, structured_exact([](Specs& out, const Tensor& self, int64_t dim, bool keepdim) {
                               median_shape(out, "mode", self, dim, keepdim);
                             })),
    .cpu =
        [](const Tensor& self, int64_t dim, bool, Tensor& values, Tensor& indices) {
          const int64_t d = wrap_dim(dim, self.dim());
          sort_along(self, d, 1, restore_reduced_dim(values, self, d), restore_reduced_dim(indices, self, d), "mode_cpu",
                     [&]<class T>(Type<T>, int64_t rows, int64_t n, auto in, auto v, auto i) { find_modes_of_rows<T>(rows, n, in, v, i); });
        },
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim, In<"keepdim", bool> keepdim,
                            Out<"indices"> i) { return scatter_single_selected_gradient(g, self, *dim, *keepdim, i); })},
});

}  // namespace
}  // namespace mt
