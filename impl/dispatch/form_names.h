// What torch calls the overloads of in-place and out= forms where it is not what the functional overload's name would make.
#pragma once

#include <string>

namespace mt {

// A form as it would be named, and torch's word for its overload. The generator of the C header reads these lines as well.
inline constexpr const char* form_names[][2] = {
    {"_linalg_det.out", "result"},
    {"_linalg_eigh.out", "eigenvalues"},
    {"_linalg_slogdet.out", "sign"},
    {"_linalg_solve_ex.out", "result"},
    {"_linalg_svd.out", "U"},
    {"all.dim_out", "out"},
    {"all.out", "all_out"},
    {"any.dim_out", "out"},
    {"any.out", "all_out"},
    {"bitwise_and.out", "Tensor_out"},
    {"bitwise_left_shift.out", "Tensor_out"},
    {"bitwise_or.out", "Tensor_out"},
    {"bitwise_right_shift.out", "Tensor_out"},
    {"bitwise_xor.out", "Tensor_out"},
    {"bucketize.out", "Tensor_out"},
    {"div.Tensor_mode_out", "out_mode"},
    {"eq.out", "Tensor_out"},
    {"floor_divide_.", "Tensor"},
    {"fmod.out", "Tensor_out"},
    {"fractional_max_pool2d.out", "output"},
    {"fractional_max_pool3d.out", "output"},
    {"frobenius_norm.dim_out", "out"},
    {"ge.out", "Tensor_out"},
    {"geqrf.out", "a"},
    {"gt.out", "Tensor_out"},
    {"hardshrink_backward.out", "grad_input"},
    {"hardtanh_backward.out", "grad_input"},
    {"index.out", "Tensor_out"},
    {"kthvalue.out", "values"},
    {"ldexp_.Tensor", ""},
    {"le.out", "Tensor_out"},
    {"leaky_relu_backward.out", "grad_input"},
    {"lerp.out", "Tensor_out"},
    {"linalg_cholesky_ex.out", "L"},
    {"linalg_eigh.out", "eigvals"},
    {"linalg_inv_ex.out", "inverse"},
    {"linalg_matrix_rank.tol_tensor_out", "out_tol_tensor"},
    {"linalg_pinv.rcond_tensor_out", "out_rcond_tensor"},
    {"linalg_svd.out", "U"},
    {"logit_backward.out", "grad_input"},
    {"lt.out", "Tensor_out"},
    {"max.dim_out", "dim_max"},
    {"max.other_out", "out"},
    {"max.out", "unary_out"},
    {"mean.dim_out", "out"},
    {"mean.out", "dtype_out"},
    {"median.dim_out", "dim_values"},
    {"min.dim_out", "dim_min"},
    {"min.other_out", "out"},
    {"min.out", "unary_out"},
    {"mode.out", "values"},
    {"nanmedian.dim_out", "dim_values"},
    {"ne.out", "Tensor_out"},
    {"norm.ScalarOpt_dim_dtype_out", "dtype_out"},
    {"norm.ScalarOpt_dim_out", "out"},
    {"pow_.Tensor_Scalar", "Scalar"},
    {"pow_.Tensor_Tensor", "Tensor"},
    {"prod.dim_int_out", "int_out"},
    {"qr.out", "Q"},
    {"remainder.out", "Tensor_out"},
    {"searchsorted.out", "Tensor_out"},
    {"slice_copy.out", "Tensor_out"},
    {"softshrink_backward.out", "grad_input"},
    {"sort.out", "values"},
    {"sort.stable_out", "values_stable"},
    {"std.dim_out", "out"},
    {"sum.dim_IntList_out", "IntList_out"},
    {"svd.out", "U"},
    {"threshold_backward.out", "grad_input"},
    {"topk.out", "values"},
    {"transpose_.int", ""},
    {"triangular_solve.out", "X"},
    {"var.dim_out", "out"},
    {"xlogy.Scalar_Other_out", "OutScalar_Other"},
    {"xlogy.Scalar_Self_out", "OutScalar_Self"},
    {"xlogy.out", "OutTensor"},
};

// torch's word for "eq.out", or nullptr where it is as made.
inline const char* torch_overload(const std::string& made) {
  for (const auto& [name, overload] : form_names)
    if (made == name) return overload;
  return nullptr;
}

}  // namespace mt
