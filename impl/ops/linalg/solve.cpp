// _linalg_solve_ex, linalg_solve_ex, linalg_solve: the solution of a square system.
#include "dispatch/out_words.h"
#include "rules/lu.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& a, const Tensor& b, bool left, bool) {
  check_floating("linalg.solve", a);
  check(a.dtype() == b.dtype(),
        "linalg.solve: Expected A and B to have the same dtype, but found A of type {} and B of type {} instead",
        a.dtype(), b.dtype());
  check_matrix("linalg.solve", a);
  const bool vector = is_vector_equation(a, b);
  Dims of_b(b.sizes());
  if (vector) of_b.push_back(1);
  check_square("linalg.solve", a);
  check(of_b.size() >= 2, "linalg.solve: The input tensor B must have at least 2 dimensions.");
  const int64_t rows = of_b[of_b.size() - 2], columns = of_b.back(), n = a.size(-1);
  check(n == (left ? rows : columns),
        "linalg.solve: Incompatible shapes of A and B for the equation {} ({}x{} and {}x{})",
        left ? "AX = B" : "XA = B", n, n, rows, columns);
  check(left || !vector,
        "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
        "linalg.solve is equivalent to B / "
        "A.squeeze(-1)");
  const Dims batch = broadcast_shapes(IntList(of_b.data(), of_b.size() - 2), batch_of(a));
  const Dims sizes = with_matrix(batch, rows, columns);
  if (vector) {
    // torch sees the vectors of a batch as one matrix, stored by columns.
    const Dims vectors = with_vector(batch, rows);
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
constexpr auto kernel = [](const Tensor& a, const Tensor& b, bool left, bool check_errors, Tensor& x, Tensor& lu,
                           Tensor& pivots, Tensor& info) {
  fill_from(lu, a);
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
  fill_from(x, b);
  lu_solve_in_place(lu, pivots, left ? x : transposed(x), left ? 'N' : 'T');
};

MT_OP(OpDef{
    .schema = {"_linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, "
               "Tensor LU, Tensor pivots, Tensor info)"},
    .forms = function | out,
    .doc = "linalg_solve_ex with the factors that it used.",
    .rule = structured(shape),
    .cpu = kernel,
    .grad = {wrt({"A", "B"},
                 [](GradOf<0> g, Wanted wanted, In<"A"> a, MetaOf<"B"> of_b, Out<"result"> x, Out<"LU"> lu,
                    Out<"pivots"> pivots, In<"left", bool> left) {
                   Tensors<2> out;
                   if (!g.defined()) return out;
                   const bool vector = of_b.sizes.size() == 1 || (a.dim() - 1 == of_b.sizes.size() &&
                                                                  of_b.sizes == IntList(a.sizes().data, a.dim() - 1));
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
    .doc = "X with A X = B (X A = B for left=False), and for each matrix of A 0 or the place of the zero that makes it "
           "singular.",
    .module = "linalg",
    .composite =
        [](const Tensor& a, const Tensor& b, bool left, bool check_errors) {
          auto all = op<"_linalg_solve_ex", Tensors<4>>(a, b, left, check_errors);
          return Tensors<2>{all[0], all[3]};
        },
});
MT_OP(OpDef{
    .schema = {"linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor"},
    .forms = function | out,
    .doc = "X with A X = B (X A = B for left=False); LinAlgError where a matrix is singular.",
    .module = "linalg",
    .composite = [](const Tensor& a, const Tensor& b, bool left) -> Tensor {
      auto both = op<"linalg_solve_ex", Tensors<2>>(a, b, left, false);
      check_info(both[1], "torch.linalg.solve", a.dim() == 2);
      return both[0];
    },
});

MT_OUT("linalg_solve", .recorded_as = "_linalg_solve_ex");

}  // namespace
}  // namespace mt
