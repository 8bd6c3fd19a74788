// Sums of a tile in registers, over packed panels or over operands in place: a part of gemm_body.h, in its namespace.

template <class P, int MR, int NV, int R>
MT_KERNEL void multiply_spaced_rows(const Steps* steps, int n, int64_t distance, const P* a, const P* b, P* tile, bool accumulate) {
  constexpr int step = lanes_of<P>;
  Vector<P> sums[R][NV];
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) sums[i][j] = Vector<P>{};
  }
  for (const Steps* last = steps + n; steps < last; ++steps) {
    const P* from = b + steps->offset;
    for (int64_t p = 0; p < steps->count; ++p) {
      Vector<P> row[NV];
#pragma GCC unroll 4
      for (int j = 0; j < NV; ++j) row[j] = load<P>(from + j * step);
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) {
        const Vector<P> left = splat<P>(a[i]);
#pragma GCC unroll 4
        for (int j = 0; j < NV; ++j) sums[i][j] = fused(left, row[j], sums[i][j]);
      }
      a += MR;
      from += distance;
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) {
      P* place = tile + (i * NV + j) * step;
      store<P>(place, accumulate ? load<P>(place) + sums[i][j] : sums[i][j]);
    }
  }
}

template <class P>
MT_KERNEL void multiply_steps(const Steps* steps, int n, int64_t distance, const P* a, const P* b, P* tile, bool accumulate, int rows) {
  constexpr int MR = MT_ISA_ROWS;
  constexpr int NV = MT_ISA_VECTORS;
  if constexpr (MR > 4) {
    if (rows <= 4) return multiply_spaced_rows<P, MR, NV, 4>(steps, n, distance, a, b, tile, accumulate);
    if (rows <= 8) return multiply_spaced_rows<P, MR, NV, 8>(steps, n, distance, a, b, tile, accumulate);
  }
  multiply_spaced_rows<P, MR, NV, MR>(steps, n, distance, a, b, tile, accumulate);
}

template <class P, int R, int N>
MT_KERNEL void multiply_scattered(const Steps* steps, int n, const P* const* at, const P* b, P* tile, const P* start) {
  constexpr int step = lanes_of<P>;
  constexpr int width = MT_ISA_VECTORS * step;
  Vector<P> sums[R][N];
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < N; ++j) sums[i][j] = Vector<P>{};
  }
  for (const Steps* last = steps + n; steps < last; ++steps) {
    const P* rows[R];
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) rows[i] = at[i] + steps->offset;
    for (int64_t p = 0; p < steps->count; ++p) {
      Vector<P> row[N];
#pragma GCC unroll 4
      for (int j = 0; j < N; ++j) row[j] = load<P>(b + j * step);
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) {
        const Vector<P> left = splat<P>(rows[i][p]);
#pragma GCC unroll 4
        for (int j = 0; j < N; ++j) sums[i][j] = fused(left, row[j], sums[i][j]);
      }
      b += width;
    }
  }
  const P* const before = start ? start : tile;
  const int64_t before_row = start ? 0 : width;
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < N; ++j) store<P>(tile + i * width + j * step, load<P>(before + i * before_row + j * step) + sums[i][j]);
  }
}

template <class P>
MT_KERNEL void multiply_positions(const Steps* steps, int n, const P* const* at, const P* b, P* tile, const P* start, int rows, int cols) {
  constexpr int MR = MT_ISA_ROWS;
  if (cols <= lanes_of<P>) return multiply_scattered<P, MR, 1>(steps, n, at, b, tile, start);
  if (rows <= MR / 3) return multiply_scattered<P, MR / 3, MT_ISA_VECTORS>(steps, n, at, b, tile, start);
  multiply_scattered<P, MR, MT_ISA_VECTORS>(steps, n, at, b, tile, start);
}

// The rows of A: consecutive elements along k are `step` apart.
template <class P>
struct Left {
  const P* data;
  int64_t row, step;
};
// Where rows of C are stored; adds the same rows of `before`, and `bias` to each row. Null pointers add nothing.
template <class P>
struct Right {
  P* data;
  int64_t row;
  const P* before;
  int64_t before_row;
  const P* bias;
};
template <class P>
MT_HELPER Right<P> adding_to(P* c, int64_t row, bool accumulate) {
  return {c, row, accumulate ? c : nullptr, row, nullptr};
}

// Multiplies R rows of A by N vectors of a panel of B, packed or in place. For operands that are used once: packing them and finishing a
// tile would cost more than they save.
template <class P, int R, int N>
MT_KERNEL void multiply_in_place(int64_t k, const Left<P>& a, const P* b, int64_t b_stride, const Right<P>& c) {
  constexpr int step = lanes_of<P>;
  constexpr int threes = (R + 2) / 3;  // a pointer per three rows: x86 addressing can add one or two strides
  const int64_t a_row = a.row, a_step = a.step;
  Vector<P> sums[R][N];
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < N; ++j) sums[i][j] = Vector<P>{};
  }
  const P* rows[threes];
#pragma GCC unroll 4
  for (int g = 0; g < threes; ++g) rows[g] = a.data + 3 * g * a_row;
  for (int64_t p = 0; p < k; ++p) {
    Vector<P> row[N];
#pragma GCC unroll 4
    for (int j = 0; j < N; ++j) row[j] = load<P>(b + j * step);
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      const Vector<P> left = splat<P>(rows[i / 3][i % 3 * a_row]);
#pragma GCC unroll 4
      for (int j = 0; j < N; ++j) sums[i][j] = fused(left, row[j], sums[i][j]);
    }
#pragma GCC unroll 4
    for (int g = 0; g < threes; ++g) rows[g] += a_step;
    b += b_stride;
  }
  if (c.before) {
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < N; ++j) sums[i][j] = load<P>(c.before + i * c.before_row + j * step) + sums[i][j];
    }
  }
  if (c.bias) {
#pragma GCC unroll 4
    for (int j = 0; j < N; ++j) {
      const Vector<P> bias = load<P>(c.bias + j * step);
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) sums[i][j] += bias;
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < N; ++j) store<P>(c.data + i * c.row + j * step, sums[i][j]);
  }
}

// Multiplies a partial tile at the edge of C, and skips most of its padding.
template <class P>
MT_KERNEL void multiply_part(int64_t k, const P* a, const P* b, P* tile, bool accumulate, int rows, int cols) {
  constexpr int MR = MT_ISA_ROWS;
  constexpr int NV = MT_ISA_VECTORS;
  constexpr int width = NV * lanes_of<P>;
  const Left<P> left{a, 1, MR};
  const Right<P> sums = adding_to(tile, width, accumulate);
  const int vectors = (cols + lanes_of<P> - 1) / lanes_of<P>;
  const auto by_rows = [&]<int R>() __attribute__((always_inline)) {
    if (vectors == 1) return multiply_in_place<P, R, 1>(k, left, b, width, sums);
    if constexpr (NV > 2) {
      if (vectors == 2) return multiply_in_place<P, R, 2>(k, left, b, width, sums);
    }
    multiply_in_place<P, R, NV>(k, left, b, width, sums);
  };
  if constexpr (MR > 4) {
    if (rows <= 4) return by_rows.template operator()<4>();
  }
  if constexpr (MR > 8) {
    if (rows <= 8) return by_rows.template operator()<8>();
  }
  by_rows.template operator()<MR>();
}

template <class P, int N>
MT_HELPER void multiply_few(int64_t k, Left<P> a, const P* b, int64_t b_stride, Right<P> c, int rows) {
  constexpr int MR = MT_ISA_ROWS;
  auto next = [&]<int R>(std::integral_constant<int, R>) __attribute__((always_inline)) {
    multiply_in_place<P, R, N>(k, a, b, b_stride, c);
    a.data += R * a.row, c.data += R * c.row, rows -= R;
    if (c.before) c.before += R * c.before_row;
  };
  while (rows >= MR) next(std::integral_constant<int, MR>());
  // Takes 8 rows instead of two times 4: with few independent accumulators the latency of additions would stall the loop.
  if constexpr (MR > 8 && N == 1) {
    if (rows >= 8) next(std::integral_constant<int, 8>());
  }
  if constexpr (MR > 4) {
    while (rows >= 4) next(std::integral_constant<int, 4>());
  }
  if (rows == 3) return next(std::integral_constant<int, 3>());
  if (rows == 2) return next(std::integral_constant<int, 2>());
  if (rows == 1) next(std::integral_constant<int, 1>());
}
// Multiplies by the first `vectors` vectors of a panel's columns.
template <class P>
MT_HELPER void multiply_panel(int64_t k, const Left<P>& a, const P* b, const Right<P>& c, int rows, int vectors) {
  constexpr int NV = MT_ISA_VECTORS;
  constexpr int width = NV * lanes_of<P>;
  if (vectors == 1) return multiply_few<P, 1>(k, a, b, width, c, rows);
  if constexpr (NV > 2) {
    if (vectors == 2) return multiply_few<P, 2>(k, a, b, width, c, rows);
  }
  multiply_few<P, NV>(k, a, b, width, c, rows);
}

template <class P>
MT_KERNEL void multiply_unpacked(int64_t k, const P* a, int64_t stride, const P* b, P* tile, bool accumulate, int rows, int cols) {
  constexpr int width = MT_ISA_VECTORS * lanes_of<P>;
  multiply_panel<P>(k, {a, stride, 1}, b, adding_to(tile, width, accumulate), rows, (cols + lanes_of<P> - 1) / lanes_of<P>);
}

template <class P>
MT_KERNEL void multiply_into(int64_t k, const void* a, int64_t row, int64_t step, const P* b, const P* before, const P* bias, P* c,
                             int64_t c_stride, int rows, int cols) {
  constexpr int64_t size = sizeof(P), width = MT_ISA_VECTORS * lanes_of<P>;
  multiply_panel<P>(k, {static_cast<const P*>(a), row / size, step / size}, b, {c, c_stride, before, width, bias}, rows,
                    cols / lanes_of<P>);
}

template <class P>
MT_KERNEL void multiply_rows(int64_t k, const P* a, int64_t a_stride, const P* b, int64_t b_stride, P* c, int64_t c_stride, bool accumulate,
                             int rows, int cols) {
  constexpr int NV = MT_ISA_VECTORS;
  constexpr int step = lanes_of<P>;
  const Left<P> left{a, a_stride, 1};
  if (cols == NV * step) return multiply_few<P, NV>(k, left, b, b_stride, adding_to(c, c_stride, accumulate), rows);
  int j = 0;
  if constexpr (NV > 2) {
    for (; j + 2 * step <= cols; j += 2 * step) multiply_few<P, 2>(k, left, b + j, b_stride, adding_to(c + j, c_stride, accumulate), rows);
  }
  for (; j + step <= cols; j += step) multiply_few<P, 1>(k, left, b + j, b_stride, adding_to(c + j, c_stride, accumulate), rows);
  if (j == cols) return;
  // Computes the last columns, which do not fill a vector, in a separate tile, and copies the valid part to C.
  alignas(64) P tile[MT_ISA_ROWS * step];
  for (; rows > 0; rows -= MT_ISA_ROWS, a += MT_ISA_ROWS * a_stride, c += MT_ISA_ROWS * c_stride) {
    const int some = rows < MT_ISA_ROWS ? rows : MT_ISA_ROWS;
    multiply_few<P, 1>(k, {a, a_stride, 1}, b + j, b_stride, adding_to(tile, step, false), some);
    for (int i = 0; i < some; ++i) {
      P* line = c + i * c_stride + j;
      for (int l = 0; l < cols - j; ++l) line[l] = accumulate ? line[l] + tile[i * step + l] : tile[i * step + l];
    }
  }
}
