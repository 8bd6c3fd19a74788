// linalg_cross, cross: the vector product in three dimensions.
#include "core/messages.h"
#include "cpu/copy/convert.h"
#include "rules/form/exact_out.h"
#include "rules/linalg/linalg.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

constexpr auto infer_cross_shape = [](Specs& out, const Tensor& a, const Tensor& b, int64_t dim) {
  check(a.dim() == b.dim(), "linalg.cross: inputs must have the same number of dimensions.");
  check(a.dim() > 0, ErrorKind::index, messages::dim_of_scalar_tensor, dim);
  wrap_dim(dim, a.dim());
  check(a.size(dim) == 3 && b.size(dim) == 3, "linalg.cross: inputs dimension {} must have length 3. Got {} and {}", dim, a.size(dim),
        b.size(dim));
  out.add(broadcast_shapes(a.sizes(), b.sizes()), a.dtype());
};
// Half types round each product, as torch does; tiles of them are converted together.
template <class T>
void cross_in_half(Dtype dtype, const T* p, const T* q, T* r, int64_t n) {
  const cpu::Conversion widen(Dtype::float32, dtype), narrow(dtype, Dtype::float32);
  cpu::parallel_for(0, n / 3, 8192, [&](int64_t begin, int64_t end) {
    constexpr int64_t tile = 3 * 128;
    float u[tile], v[tile], left[tile], right[tile];
    T rounded[tile];
    auto round = [&](float* x, int64_t count) {
      narrow(rounded, sizeof(T), x, sizeof(float), count);
      widen(x, sizeof(float), rounded, sizeof(T), count);
    };
    for (int64_t at = 3 * begin; at < 3 * end; at += tile) {
      const int64_t count = std::min(tile, 3 * end - at);
      widen(u, sizeof(float), p + at, sizeof(T), count);
      widen(v, sizeof(float), q + at, sizeof(T), count);
      for (int64_t i = 0; i < count; i += 3)
        for (int k = 0; k < 3; ++k) {
          const int l = (k + 1) % 3, m = (k + 2) % 3;
          left[i + k] = u[i + l] * v[i + m], right[i + k] = u[i + m] * v[i + l];
        }
      round(left, count), round(right, count);
      for (int64_t i = 0; i < count; ++i) left[i] -= right[i];
      narrow(r + at, sizeof(T), left, sizeof(float), count);
    }
  });
}
constexpr auto compute_cross = [](const Tensor& a, const Tensor& b, int64_t dim, Tensor& out) {
  dispatch_numbers(a.dtype(), "cross", [&]<class T>(Type<T>) {
    check(a.dtype() == b.dtype(), messages::expected_scalar_type, a.dtype(), b.dtype());
    BelowAutograd guard;
    auto along_rows = [&](const Tensor& t) { return op<"movedim.int">(op<"expand">(t, out.sizes()), dim, -1); };
    const Tensor x = dense(along_rows(a)), y = dense(along_rows(b)), target = along_rows(out);
    const Tensor z = target.is_contiguous() ? target : empty(target.sizes(), target.dtype());
    const T *p = static_cast<const T*>(x.data()), *q = static_cast<const T*>(y.data());
    T* r = static_cast<T*>(z.data());
    if constexpr (std::is_same_v<T, ComputeType<T>>) {
      for_rows(out.numel() / 3, 3, [&](int64_t i) {
        const T *u = p + 3 * i, *v = q + 3 * i;
        for (int k = 0; k < 3; ++k) {
          const int l = (k + 1) % 3, m = (k + 2) % 3;
          r[3 * i + k] = u[l] * v[m] - u[m] * v[l];
        }
      });
    } else {
      cross_in_half(a.dtype(), p, q, r, out.numel());
    }
    if (z.get() != target.get()) copy_into(target, z);
  });
};

MT_OP(OpDef{
    .schema = {"linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the vector product of vectors in three dimensions along `dim`.

With a = `self` and b = `other`: (a1 b2 - a2 b1, a2 b0 - a0 b2, a0 b1 - a1 b0). Complex vectors
are not conjugated. The tensors have the same number of dimensions, size 3 along `dim`, and
broadcast in the others.

Args:
    self, other (Tensor): ``(..., 3, ...)``, of the same dtype.
    dim (int): the dimension of size 3. Default: ``-1``.

Returns:
    Tensor: the broadcast shape, in the dtype of `self`.

Raises:
    RuntimeError: when the numbers of dimensions differ or a size along `dim` is not 3.

Example:
    >>> torch.linalg.cross(torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.]))",
    .module = "linalg",
    .rule = structured_exact(infer_cross_shape, {.refuses_overlap = true}),
    .cpu = compute_cross,
    .npu = {"LinalgCross"},
    .grad = {wrt("self", [](Grad g, In<"other"> b, In<"dim", int64_t> dim) { return op<"linalg_cross">(conj(b), g, *dim); }),
             wrt("other", [](Grad g, In<"self"> a, In<"dim", int64_t> dim) { return op<"linalg_cross">(g, conj(a), *dim); })},
});

int64_t first_dim_of_size_3(const Tensor& a) {
  int64_t first = 0;
  while (first < a.dim() && a.size(first) != 3) ++first;
  check(first < a.dim(), "no dimension of size 3 in input");
  return first;
}
std::atomic<bool> has_warned;
MT_OP(OpDef{
    .schema = {"cross(Tensor self, Tensor other, int? dim=None) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes the vector product of vectors in three dimensions along `dim`.

As `torch.linalg.cross`, except that without `dim` the first dimension of size 3 is taken, with a
warning: that default is deprecated.

Args:
    self, other (Tensor): ``(..., 3, ...)``, of the same dtype and number of dimensions; they
        broadcast.
    dim (int, optional): the dimension of size 3. Default: the first of size 3.

Returns:
    Tensor: the broadcast shape, in the dtype of `self`.

Raises:
    RuntimeError: when the size along `dim` is not 3, or no dimension has size 3.

Example:
    >>> torch.cross(torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([[4.0, 5.0, 6.0]]), dim=1)
    tensor([[-3.,  6., -3.]]))",
    .composite = [](const Tensor& a, const Tensor& b, std::optional<int64_t> dim) -> Tensor {
      if (dim) return op<"linalg_cross">(a, b, *dim);
      warn_once(has_warned,
                "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim "
                "explicitly or simply use "
                "torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross in a "
                "future release.");
      return op<"linalg_cross">(a, b, first_dim_of_size_3(a));
    },
    .autocast = on_npu(Autocast::promote),
});
MT_OP(OpDef{
    .schema = {"cross.out(Tensor self, Tensor other, int? dim=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Writes the vector product along `dim` into `out`.",
    .composite = [](const Tensor& a, const Tensor& b, std::optional<int64_t> dim, const Tensor& out) -> Tensor {
      return op<"linalg_cross.out">(a, b, dim ? *dim : first_dim_of_size_3(a), out);
    },
    .out_policy = OutPolicy{.recorded_as = "linalg_cross"},
});

}  // namespace
}  // namespace mt
