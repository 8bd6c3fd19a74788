// _linalg_solve_ex, linalg_solve_ex, linalg_solve: solve a square system.
#include "rules/form/exact_out.h"
#include "rules/linalg/lu.h"

namespace mt {
namespace {

constexpr auto infer_solve_shape = [](Specs& out, const Tensor& a, const Tensor& b, bool left, bool) {
  check_floating("linalg.solve", a);
  check(a.dtype() == b.dtype(), "linalg.solve: Expected A and B to have the same dtype, but found A of type {} and B of type {} instead",
        a.dtype(), b.dtype());
  check_matrix("linalg.solve", a);
  const bool vector = is_vector_equation(a, b);
  Dims of_b(b.sizes());
  if (vector) of_b.push_back(1);
  check_square("linalg.solve", a);
  check(of_b.size() >= 2, "linalg.solve: The input tensor B must have at least 2 dimensions.");
  const int64_t rows = of_b[of_b.size() - 2], columns = of_b.back(), n = a.size(-1);
  check(n == (left ? rows : columns), "linalg.solve: Incompatible shapes of A and B for the equation {} ({}x{} and {}x{})",
        left ? "AX = B" : "XA = B", n, n, rows, columns);
  check(left || !vector,
        "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
        "linalg.solve is equivalent to B / "
        "A.squeeze(-1)");
  const Dims batch = broadcast_shapes(IntList(of_b.data(), of_b.size() - 2), batch_of(a));
  const Dims sizes = sizes_of_matrices(batch, rows, columns);
  if (vector) {
    // torch stores the solutions of a batch, one vector each, as the columns of one column-major matrix.
    const Dims vectors = sizes_of_vectors(batch, rows);
    if (vectors.size() < 2)
      out.add(vectors, b.dtype());
    else
      add_column_major(out, vectors, b.dtype());
  } else if (left) {
    add_column_major(out, sizes, b.dtype());
  } else {
    out.add(sizes, b.dtype());
  }
  add_column_major(out, a.sizes(), a.dtype());
  out.add(IntList(a.sizes().data, a.dim() - 1), Dtype::int32);
  out.add(batch_of(a), Dtype::int32);
};
constexpr auto compute_solve = [](const Tensor& a, const Tensor& b, bool left, bool check_errors, Tensor& x, Tensor& lu, Tensor& pivots,
                                  Tensor& info) {
  copy_broadcast_into(lu, a);
  lu_factor_in_place(lu, pivots, info);
  if (check_errors) check_info(info, "torch.linalg.solve_ex", a.dim() == 2);
  BelowAutograd guard;
  if (is_vector_equation(a, b)) {
    Dims sizes(x.sizes());
    sizes.push_back(1);
    const Tensor columns = column_major_copy(op<"unsqueeze">(b, -1), sizes);
    lu_solve_in_place(lu, pivots, columns, 'N');
    return copy_into(x, op<"squeeze.dim">(columns, -1));
  }
  copy_broadcast_into(x, b);
  lu_solve_in_place(lu, pivots, left ? x : transposed(x), left ? 'N' : 'T');
};

MT_OP(OpDef{
    .schema = {"_linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, "
               "Tensor LU, Tensor pivots, Tensor info)"},
    .forms = function | out,
    .form_overloads = {{"out", "result"}},
    .doc = R"(Solves A X = `B` and returns the LU factors that it used, too.

It serves linalg_solve_ex and gradients.)",
    .rule = structured_exact(infer_solve_shape),
    .cpu = compute_solve,
    .grad = {wrt({"A", "B"},
                 [](GradOf<0> g, Wanted wanted, In<"A"> a, MetaOf<"B"> of_b, Out<"result"> x, Out<"LU"> lu, Out<"pivots"> pivots,
                    In<"left", bool> left) {
                   Tensors<2> out;
                   if (!g.defined()) return out;
                   const bool vector = of_b.sizes.size() == 1 ||
                                       (a.dim() - 1 == of_b.sizes.size() && of_b.sizes == IntList(a.sizes().data, a.dim() - 1));
                   const Tensor g2 = vector ? as_column(g) : Tensor(g), x2 = vector ? as_column(x) : Tensor(x);
                   const Tensor gb = solve_adjoint(a, lu, pivots, g2, *left);
                   if (wanted[0]) out[0] = *left ? -op<"matmul">(gb, adjoint(x2)) : -op<"matmul">(adjoint(x2), gb);
                   out[1] = vector ? op<"squeeze.dim">(gb, -1) : gb;
                   return out;
                 })},
    .grad_name = "LinalgSolveExBackward0",
});
MT_OP(OpDef{
    .schema = {"linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, "
               "Tensor info)"},
    .forms = function | out,
    .doc = R"(Solves A X = `B` for X, and returns a code instead of an error.

As `torch.linalg.solve`. A code of k says that U's k-th diagonal element is 0, and that the
solution is not to be used.

Args:
    A (Tensor): ``(*, n, n)``; float32, float64, complex64 or complex128.
    B (Tensor): the right side, ``(*, n, k)`` or ``(*, n)``, of the same dtype.
    left (bool): False solves X A = B. Default: ``True``.
    check_errors (bool): whether to raise on a code other than 0. Default: ``False``.

Returns:
    tuple of Tensor: ``result`` and ``info``, int32, ``(*)``.

Example:
    >>> A = torch.tensor([[1.0, 2.0], [2.0, 4.0]])
    >>> torch.linalg.solve_ex(A, torch.tensor([1.0, 2.0])).info
    tensor(2, dtype=torch.int32))",
    .module = "linalg",
    .composite =
        [](const Tensor& a, const Tensor& b, bool left, bool check_errors) {
          auto all = op<"_linalg_solve_ex", Tensors<4>>(a, b, left, check_errors);
          return Tensors<2>{all[0], all[3]};
        },
    .out_policy = OutPolicy{.recorded_as = "_linalg_solve_ex", .takes_strides = true},
});
MT_OP(OpDef{
    .schema = {"linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor"},
    .forms = function | out,
    .doc = R"(Solves A X = `B` for X, with square and invertible A (LAPACK's getrf and getrs).

`B` is a vector if it has one dimension, or the shape of `A` without the last one; else a matrix.
Leading dimensions broadcast. The gradients are A^-H g for `B` and -A^-H g X^H for `A`.

Args:
    A (Tensor): ``(*, n, n)``; float32, float64, complex64 or complex128.
    B (Tensor): the right side, ``(*, n, k)``, ``(*, n)`` or ``(n,)``, of the same dtype; ``(*,
        k, n)`` if not `left`.
    left (bool): False solves X A = B. Default: ``True``.

Returns:
    Tensor: the shape of `B`, with broadcast leading dimensions.

Raises:
    torch.linalg.LinAlgError: when a matrix is singular.
    RuntimeError: when a size or dtype does not fit.

Example:
    >>> A = torch.tensor([[4.0, 2.0], [2.0, 5.0]])
    >>> torch.linalg.solve(A, torch.tensor([8.0, 12.0]))
    tensor([1., 2.]))",
    .module = "linalg",
    .composite = [](const Tensor& a, const Tensor& b, bool left) -> Tensor {
      auto both = op<"linalg_solve_ex", Tensors<2>>(a, b, left, false);
      check_info(both[1], "torch.linalg.solve", a.dim() == 2);
      return both[0];
    },
    .out_policy = OutPolicy{.recorded_as = "_linalg_solve_ex"},
});

}  // namespace
}  // namespace mt
