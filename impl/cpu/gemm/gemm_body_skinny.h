// Products of a few rows with a matrix that is read in place: a part of gemm_body.h, in its namespace.

// R rows of A with C columns of B: every loaded vector is used for R or C accumulators. Prefetches memory from `ahead` on, `pace` bytes per
// step.
template <class P, class T, int R, int C>
MT_HELPER void dot_block(int64_t k, const P* a, const T* b, int64_t stride, P* sums, int64_t sums_stride, const char* ahead, int64_t pace) {
  constexpr int step = lanes_of<P>;
  Vector<P> partial[R][C];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) partial[r][c] = Vector<P>{};
  }
  int64_t p = 0;
  for (; p + step <= k; p += step, ahead += pace) {
    for (int64_t line = 0; line < pace; line += 64) __builtin_prefetch(ahead + line);
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

// Multiplies all rows of A by C columns of B, which stay in the cache; each group of rows prefetches a part of the next C columns.
template <class P, class T, int C>
MT_KERNEL void dots(int64_t k, int rows, const P* a, const T* b, int64_t stride, P* sums, int64_t sums_stride) {
  constexpr int most = MT_ISA_BYTES == 64 ? 4 : 2;  // the sums of four rows would not fit into sixteen registers
  const int64_t pace = C * lanes_of<P> * static_cast<int64_t>(sizeof(T)) / ((rows + most - 1) / most);
  const char* ahead = reinterpret_cast<const char*>(b + C * stride);
  const int64_t part = k / lanes_of<P> * pace;
  int r = 0;
  for (; r + most <= rows; r += most, ahead += part) {
    dot_block<P, T, most, C>(k, a + r * k, b, stride, sums + r * sums_stride, sums_stride, ahead, pace);
  }
  if constexpr (most > 2) {
    for (; r + 2 <= rows; r += 2, ahead += part) {
      dot_block<P, T, 2, C>(k, a + r * k, b, stride, sums + r * sums_stride, sums_stride, ahead, pace);
    }
  }
  for (; r < rows; ++r) dot_block<P, T, 1, C>(k, a + r * k, b, stride, sums + r * sums_stride, sums_stride, ahead, pace);
}

template <class P, class T>
MT_KERNEL void skinny_by_dots(int64_t k, int rows, const P* a, const T* b, int64_t stride, int64_t cols, P* sums) {
  int64_t j = 0;
  for (; j + 4 <= cols; j += 4) dots<P, T, 4>(k, rows, a, b + j * stride, stride, sums + j, cols);
  for (; j < cols; ++j) dots<P, T, 1>(k, rows, a, b + j * stride, stride, sums + j, cols);
}

// sums[R][cols] += A[R][D] * B[D][cols]: rows of B are read sequentially, and the sums stay in the cache. With `ahead`, prefetches
// further rows.
template <class P, class T, int R, int D>
MT_HELPER void add_rows(const P* a, int64_t a_stride, const T* b, int64_t stride, int64_t cols, P* sums, int64_t sums_stride, bool ahead) {
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
    for (int d = 0; d < D; ++d) {
      right[d] = load_wide<P, T>(b + d * stride + j);
      if (ahead) __builtin_prefetch(b + (d + 4 * D) * stride + j);
    }
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
MT_KERNEL void multiply_few_rows(int64_t k, int rows, const P* a, const T* b, int64_t stride, int64_t cols, P* sums) {
  constexpr int most = MT_ISA_BYTES == 64 ? 4 : 2;  // sixteen registers hold the factors of two rows
  int r = 0;
  for (; r + most <= rows; r += most) add_rows<P, T, most, D>(a + r * k, k, b, stride, cols, sums + r * cols, cols, r == 0);
  if constexpr (most > 2) {
    for (; r + 2 <= rows; r += 2) add_rows<P, T, 2, D>(a + r * k, k, b, stride, cols, sums + r * cols, cols, r == 0);
  }
  for (; r < rows; ++r) add_rows<P, T, 1, D>(a + r * k, k, b, stride, cols, sums + r * cols, cols, r == 0);
}

template <class P, class T>
MT_KERNEL void skinny_by_rows(int64_t k, int rows, const P* a, const T* b, int64_t stride, int64_t cols, P* sums) {
  std::memset(static_cast<void*>(sums), 0, static_cast<size_t>(rows * cols) * sizeof(P));
  int64_t p = 0;
  for (; p + 4 <= k; p += 4) multiply_few_rows<P, T, 4>(k, rows, a + p, b + p * stride, stride, cols, sums);
  for (; p < k; ++p) multiply_few_rows<P, T, 1>(k, rows, a + p, b + p * stride, stride, cols, sums);
}
