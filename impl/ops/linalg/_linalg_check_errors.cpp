// _linalg_check_errors: raises the error that LAPACK's return codes report for the first matrix that failed.
#include <string>

#include "core/backend.h"
#include "rules/linalg/linalg.h"
#include "vmap/rule.h"

namespace mt {
namespace {

bool mentions(const std::string& name, const char* part) { return name.find(part) != std::string::npos; }

[[noreturn]] void report_error(const std::string& name, const std::string& where, int64_t code) {
  auto linalg = [&](const char* text) { fail(ErrorKind::linalg, text, name, where, code); };
  if (mentions(name, "inv"))
    linalg(
        "{}: {}The diagonal element {} is zero, the inversion could not be completed because the input matrix is "
        "singular.");
  if (mentions(name, "cholesky"))
    linalg(
        "{}: {}The factorization could not be completed because the input is not positive-definite (the leading minor "
        "of order {} is not "
        "positive-definite).");
  if (mentions(name, "svd")) {
    if (code < 0) linalg("{}: {}The algorithm failed to converge because the input matrix contained non-finite values.");
    linalg(
        "{}: {}The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated "
        "singular values (error "
        "code: {}).");
  }
  if (mentions(name, "eig"))
    linalg(
        "{}: {}The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated "
        "eigenvalues (error code: "
        "{}).");
  if (mentions(name, "solve")) linalg("{}: {}The solver failed because the input matrix is singular.");
  if (mentions(name, "lstsq"))
    linalg(
        "{}: {}The least squares solution could not be computed because the input matrix does not have full rank "
        "(error code: {}).");
  if (mentions(name, "lu_factor"))
    fail(
        "{}: {}U[{},{}] is zero and using it on lu_solve would result in a division by zero. If you still want to "
        "perform the factorization, "
        "consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)",
        name, where, code, code);
  fail("{}: {}Unknown error code: {}.", name, where, code);
}

MT_OP(OpDef{
    .schema = {"_linalg_check_errors(Tensor info, str api_name, *, bool is_matrix) -> ()"},
    .forms = function,
    .doc = R"(Raises LinAlgError for the first matrix whose code in `info` is not zero.

Compiled graphs call it after the _ex operators.)",
    .composite =
        [](const Tensor& info, Text name, bool is_matrix) {
          if (info.is_meta()) return;
          check(info.dtype() == Dtype::int32, "_linalg_check_errors(): Expected info to have dtype int, but got {}", info.dtype());
          const Tensor codes = op<"contiguous">(on_host(info));
          for (int64_t i = 0; i < codes.numel(); ++i) {
            const int64_t code = codes.data<int32_t>()[i];
            if (code == 0) continue;
            report_error(std::string(name.data, size_t(name.size)), is_matrix ? "" : "(Batch element " + std::to_string(i) + "): ", code);
          }
        },
    .batch = batch_looped,
});

}  // namespace
}  // namespace mt
