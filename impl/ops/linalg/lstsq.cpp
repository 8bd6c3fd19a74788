// linalg_lstsq: least-squares solutions.
#include "core/messages.h"
#include "rules/form/checked.h"
#include "rules/linalg/least_squares.h"

namespace mt {
namespace {

Driver parse_driver(std::optional<Text> name) {
  if (!name || *name == "gelsy") return Driver::gelsy;
  if (*name == "gels") return Driver::gels;
  if (*name == "gelsd") return Driver::gelsd;
  check(*name == "gelss", "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)");
  return Driver::gelss;
}

// The sums of squared residuals, if the matrix is tall and has full rank.
Tensor residuals_of(const Tensor& padded, const Tensor& rank, Driver driver, int64_t m, int64_t n, Dtype dtype) {
  const Tensor none = empty({0}, dtype);
  if (m <= n || driver == Driver::gelsy) return none;
  if (driver != Driver::gels)
    for (int64_t i = 0; i < rank.numel(); ++i)
      if (rank.data<int64_t>()[i] != n) return none;
  const Tensor rest = op<"abs">(op<"narrow">(padded, -2, n, m - n));
  return op<"sum.dim_IntList">(rest * rest, IntList{-2});
}

struct Problem {
  Tensor b;  // always matrices, with at least the caller's number of columns
  bool vector;
  Dims batch;
};
Problem check_arguments(const Tensor& a, const Tensor& b) {
  check(a.dim() >= 2, "torch.linalg.lstsq: input must have at least 2 dimensions.");
  check(b.dim() >= 1, "torch.linalg.lstsq: other must have at least 1 dimension.");
  const int64_t less = a.dim() - b.dim();
  check(less == 0 || less == 1,
        "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1");
  Problem p{less ? as_column(b) : b, less == 1, {}};
  p.batch = broadcast_shapes(batch_of(a), batch_of(p.b));
  check(a.size(-2) == p.b.size(-2), "torch.linalg.lstsq: input.size(-2) should match other.size({})", less ? "-1" : "-2");
  check(a.dtype() == b.dtype(),
        "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype {} and other's "
        "dtype {}",
        a.dtype(), b.dtype());
  return p;
}

constexpr auto compute_lstsq = [](const Tensor& a, const Tensor& b, std::optional<double> rcond, std::optional<Text> driver_name) {
  BelowAutograd guard;
  const Problem problem = check_arguments(a, b);
  const Driver driver = parse_driver(driver_name);
  check(is_differentiable(a.dtype()) && !is_half(a.dtype()), messages::only_float_and_double);
  const int64_t m = a.size(-2), n = a.size(-1), width = problem.b.size(-1);
  const double cut = rcond.value_or(machine_epsilon(a.dtype()) * double(std::max(m, n)));
  // The solution overwrites the right-hand side: the buffer has the larger size of both.
  const Dims padded_sizes = sizes_of_matrices(problem.batch, std::max(m, n), width);
  const Tensor padded = empty_strided(padded_sizes, column_major_strides(padded_sizes), a.dtype());
  op<"zero_">(padded);
  copy_broadcast_into(op<"narrow">(padded, -2, 0, m), problem.b);
  const bool ranked = driver != Driver::gels, valued = driver == Driver::gelsd || driver == Driver::gelss;
  const bool empty_problem = a.numel() == 0 || padded.numel() == 0;
  const Tensor rank = empty(ranked ? problem.batch : Dims{0}, Dtype::int64);
  op<"zero_">(rank);
  const Tensor values = empty(valued ? sizes_of_vectors(problem.batch, std::min(m, n)) : Dims{0}, real_of(a.dtype()));
  op<"zero_">(values);
  if (!empty_problem) {
    const Tensor info = empty(problem.batch, Dtype::int32);
    least_squares(column_major_copy(a, sizes_of_matrices(problem.batch, m, n)), padded, driver, cut, rank, values, info);
    check_info(info, "torch.linalg.lstsq", a.dim() == 2);
  } else {
    op<"zero_">(padded);
  }
  const Tensor solution = op<"narrow">(padded, -2, 0, n);
  const Tensor residuals = empty_problem ? empty({0}, real_of(a.dtype())) : residuals_of(padded, rank, driver, m, n, real_of(a.dtype()));
  return Tensors<4>{problem.vector ? op<"squeeze.dim">(solution, -1) : solution, residuals, rank, values};
};
constexpr auto infer_lstsq_shapes = [](const Tensor& a, const Tensor& b, std::optional<double>, std::optional<Text> driver_name) {
  const Problem problem = check_arguments(a, b);
  const Driver driver = parse_driver(driver_name);
  const int64_t n = a.size(-1), k = std::min(a.size(-2), n);
  const Dims sizes = sizes_of_matrices(problem.batch, n, problem.b.size(-1));
  const bool ranked = driver != Driver::gels, valued = driver == Driver::gelsd || driver == Driver::gelss;
  return Tensors<4>{empty(problem.vector ? sizes_of_vectors(problem.batch, n) : sizes, a.dtype(), a.device()),
                    empty({0}, real_of(a.dtype()), a.device()), empty(ranked ? problem.batch : Dims{0}, Dtype::int64, a.device()),
                    empty(valued ? sizes_of_vectors(problem.batch, k) : Dims{0}, real_of(a.dtype()), a.device())};
};

MT_OP(OpDef{
    .schema = {"linalg_lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, "
               "Tensor residuals, Tensor rank, Tensor "
               "singular_values)"},
    .forms = function | out,
    .doc = R"(Computes least squares solutions: X with the smallest |`self` X - `b`|.

LAPACK's drivers: ``"gels"`` (QR, for full rank), ``"gelsy"`` (QR with column exchanges),
``"gelsd"`` and ``"gelss"`` (singular values). Of a deficient rank all but the first give the
solution of the smallest norm; singular values below `rcond` times the largest count as 0.

Args:
    self (Tensor): ``(*, m, n)``; float32, float64, complex64 or complex128.
    b (Tensor): the right side, ``(*, m, k)`` or ``(*, m)``, of the same dtype.
    rcond (float, optional): where rank ends. Default: the dtype's epsilon times max(m, n).
    driver (str, optional): one of the four. Default: ``"gelsy"``.

Returns:
    tuple of Tensor: ``solution``, ``(*, n, k)``; ``residuals``, ``(*, k)``, the squares left
        over, empty unless m > n, the rank is full and the driver is not gelsy; ``rank``, int64,
        ``(*)``, empty for gels; ``singular_values``, ``(*, min(m, n))``, of gelsd and gelss,
        else empty.

Raises:
    RuntimeError: when a size or dtype does not fit, or the driver is unknown.

Example:
    >>> A = torch.tensor([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> torch.linalg.lstsq(A, torch.tensor([[1.0], [3.0], [5.0]])).solution.round(decimals=4)
    tensor([[1.],
            [2.]]))",
    .module = "linalg",
    .rule = rule_after_check(refuse_meta_mixtures),
    .cpu = compute_lstsq,
    .meta = infer_lstsq_shapes,
    .grad = {wrt({"self", "b"}, [](GradOf<0> gx, GradOf<1> gr, Wanted wanted, In<"self"> a, In<"b"> b,
                                   Out<"solution"> x) { return least_squares_gradient(gx, gr, wanted, a, b, x); })},
});

}  // namespace
}  // namespace mt
