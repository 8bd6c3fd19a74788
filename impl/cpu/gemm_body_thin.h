// Products of a few rows with a matrix that is read in place: a part of gemm_body.h, in its namespace.

// R rows of A with C columns of B: every vector that is loaded serves R or C sums.
template <class P, class T, int R, int C>
MT_HELPER void dot_block(int64_t k, const P* a, const T* b, int64_t stride, P* sums, int64_t sums_stride) {
  constexpr int step = lanes_of<P>;
  Vector<P> partial[R][C];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) partial[r][c] = Vector<P>{};
  }
  int64_t p = 0;
  for (; p + step <= k; p += step) {
    Vector<P> right[C];
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) right[c] = load_wide<P, T>(b + c * stride + p);
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      const Vector<P> left = load<P>(a + r * k + p);
#pragma GCC unroll 4
      for (int c = 0; c < C; ++c) partial[r][c] = fused(left, right[c], partial[r][c]);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) sum_each<P, C>(partial[r], sums + r * sums_stride);
  if (p == k) return;
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) {
      P total = sums[r * sums_stride + c];
      for (int64_t q = p; q < k; ++q) total += a[r * k + q] * widen<P>(b[c * stride + q]);
      sums[r * sums_stride + c] = total;
    }
  }
}

template <class P, class T, int R>
MT_KERNEL void dots(int64_t k, const P* a, const T* b, int64_t stride, int64_t cols, P* sums, int64_t sums_stride) {
  int64_t j = 0;
  for (; j + 4 <= cols; j += 4) dot_block<P, T, R, 4>(k, a, b + j * stride, stride, sums + j, sums_stride);
  for (; j < cols; ++j) dot_block<P, T, R, 1>(k, a, b + j * stride, stride, sums + j, sums_stride);
}

template <class P, class T>
MT_KERNEL void thin_by_dots(int64_t k, int rows, const P* a, const T* b, int64_t stride, int64_t cols, P* sums) {
  // Columns in blocks that stay in the cache while the groups of rows pass over them. Two rows where the sums of four would not fit
  // into sixteen registers.
  constexpr int64_t block = 16;
  constexpr int most = MT_ISA_BYTES == 64 ? 4 : 2;
  for (int64_t j = 0; j < cols; j += block) {
    const int64_t width = cols - j < block ? cols - j : block;
    int r = 0;
    for (; r + most <= rows; r += most) {
      dots<P, T, most>(k, a + r * k, b + j * stride, stride, width, sums + r * cols + j, cols);
    }
    if constexpr (most > 2) {
      for (; r + 2 <= rows; r += 2) dots<P, T, 2>(k, a + r * k, b + j * stride, stride, width, sums + r * cols + j, cols);
    }
    for (; r < rows; ++r) dots<P, T, 1>(k, a + r * k, b + j * stride, stride, width, sums + r * cols + j, cols);
  }
}

// sums[R][cols] += A[R][D] * B[D][cols]: rows of B are read from end to end, as memory likes it, and the sums stay in the cache.
template <class P, class T, int R, int D>
MT_HELPER void add_rows(const P* a, int64_t a_stride, const T* b, int64_t stride, int64_t cols, P* sums, int64_t sums_stride) {
  constexpr int step = lanes_of<P>;
  Vector<P> left[R][D];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int d = 0; d < D; ++d) left[r][d] = splat<P>(a[r * a_stride + d]);
  }
  int64_t j = 0;
  for (; j + step <= cols; j += step) {
    Vector<P> right[D];
#pragma GCC unroll 4
    for (int d = 0; d < D; ++d) right[d] = load_wide<P, T>(b + d * stride + j);
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      P* place = sums + r * sums_stride + j;
      Vector<P> total = load<P>(place);
#pragma GCC unroll 4
      for (int d = 0; d < D; ++d) total = fused(left[r][d], right[d], total);
      store<P>(place, total);
    }
  }
  for (; j < cols; ++j) {
    for (int r = 0; r < R; ++r) {
      for (int d = 0; d < D; ++d) sums[r * sums_stride + j] += a[r * a_stride + d] * widen<P>(b[d * stride + j]);
    }
  }
}

template <class P, class T, int D>
MT_KERNEL void thin_rows(int64_t k, int rows, const P* a, const T* b, int64_t stride, int64_t cols, P* sums) {
  constexpr int most = MT_ISA_BYTES == 64 ? 4 : 2;  // sixteen registers hold the factors of two rows
  int r = 0;
  for (; r + most <= rows; r += most) add_rows<P, T, most, D>(a + r * k, k, b, stride, cols, sums + r * cols, cols);
  if constexpr (most > 2) {
    for (; r + 2 <= rows; r += 2) add_rows<P, T, 2, D>(a + r * k, k, b, stride, cols, sums + r * cols, cols);
  }
  for (; r < rows; ++r) add_rows<P, T, 1, D>(a + r * k, k, b, stride, cols, sums + r * cols, cols);
}

template <class P, class T>
MT_KERNEL void thin_by_rows(int64_t k, int rows, const P* a, const T* b, int64_t stride, int64_t cols, P* sums) {
  std::memset(static_cast<void*>(sums), 0, static_cast<size_t>(rows * cols) * sizeof(P));
  int64_t p = 0;
  for (; p + 4 <= k; p += 4) thin_rows<P, T, 4>(k, rows, a + p, b + p * stride, stride, cols, sums);
  for (; p < k; ++p) thin_rows<P, T, 1>(k, rows, a + p, b + p * stride, stride, cols, sums);
}
