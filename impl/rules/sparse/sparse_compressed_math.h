// Sums, products and selections of tensors of the compressed layouts. Each function is a kernel for every form (`call.op.form`).
#pragma once

#include "rules/sparse/sparse_compressed.h"
#include "rules/sparse/sparse_products.h"

namespace mt {

// The checked rows of a matrix; other layouts are converted to sparse_csr.
SparseRows compressed_rows(const Tensor& matrix);

// add, mul.
Tensor compressed_sum(const Call& call, const Tensor& self, const Tensor& other, const Scalar& alpha);
Tensor compressed_product(const Call& call, const Tensor& self, const Tensor& other);
// The elements of a tensor of any layout at the indices of `mask`, which is compressed.
Tensor masked_by_compressed(const Tensor& self, const Tensor& mask);

// The kernels of addmm, mm and addmv with a compressed operand.
Tensor compressed_addmm(const Call& call, const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                        const Scalar& alpha);
Tensor compressed_mm(const Call& call, const Tensor& mat1, const Tensor& mat2);
Tensor compressed_addmv(const Tensor& target, const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta,
                        const Scalar& alpha);

// The kernels of select (or select_copy, where a view is impossible), transpose, and _sparse_csr_sum and _sparse_csr_prod.
Tensor compressed_select(const Tensor& self, int64_t dim, int64_t index, bool copies);
Tensor compressed_transpose(const Tensor& self, int64_t dim0, int64_t dim1);
Tensor reduce_compressed(const Tensor& self, IntList dims, bool keepdim, std::optional<Dtype> dtype, bool multiplies);

// For each element of `rows`, the inner product of its row of `a` and the row of `b` with the number of its column. rows.width must be
// known.
Tensor sampled_products(const SparseRows& rows, const Tensor& a, const Tensor& b);

// Refuses another layout for factories "like" a compressed tensor.
void check_same_layout(const Tensor& self, std::optional<Layout> layout);
// The kernels of copy_, resize_ and resize_as_sparse_.
void copy_compressed(const Tensor& self, const Tensor& src);
void resize_compressed(const Tensor& self, IntList size);
void resize_as_compressed(const Tensor& self, const Tensor& the_template);

}  // namespace mt
