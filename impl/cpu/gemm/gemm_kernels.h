// The functions that each instruction set provides to gemm.cpp: packing, one tile, finishing, and skinny products.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cpu/gemm/gemm.h"

namespace mt::cpu::detail {

// The type in which products are computed. Integers wrap, so 32-bit unsigned arithmetic serves all narrower ones too.
template <class T>
struct ComputeOf {
  using type = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
};
template <>
struct ComputeOf<double> {
  using type = double;
};
template <>
struct ComputeOf<float> {
  using type = float;
};
template <>
struct ComputeOf<Half> {
  using type = float;
};
template <>
struct ComputeOf<BFloat16> {
  using type = float;
};
template <class T>
using Compute = typename ComputeOf<T>::type;

// Where finished sums are stored, and how they are scaled.
template <class T>
struct Output {
  GemmScalar<T> alpha;
  GemmScalar<T> beta;
  Matrix<T> c;
  Epilogue<T> epilogue;
};

// Up to this many rows, packing B costs more than reading it in place; measured on Zen 5 with the AVX2 and AVX-512 kernels.
constexpr int max_rows_by_dots = 16;
constexpr int short_dot = 256;  // below this, adding up the lanes costs too much for more than a few rows
constexpr int max_rows_by_rows = 16;
constexpr int short_line = 16;     // of B, which is cheap to pack
constexpr int max_cols_transposed = 12;  // of a tall product, as rows of the transposed one: its other operand is never packed

// `count` steps of k whose rows of B are equally far apart, the first at `offset`.
struct Steps {
  int64_t offset, count;
};

// Work for the vector registers while a matrix unit multiplies: pieces from 0 on, until a call returns that there is none left.
class Pieces {
 public:
  Pieces() : context_(nullptr), piece_([](const void*, int64_t) { return false; }) {}
  template <class F>
  explicit Pieces(const F& f)  // must live as long as the call that takes the Pieces
      : context_(&f), piece_([](const void* context, int64_t i) { return (*static_cast<const F*>(context))(i); }) {}
  bool operator()(int64_t i) const { return piece_(context_, i); }

 private:
  const void* context_;
  bool (*piece_)(const void* context, int64_t i);
};

template <class T>
struct GemmKernels {
  using P = Compute<T>;
  int tile_rows;  // MR
  int tile_cols;  // NR
  int lanes;      // of a vector
  int group;      // steps of k that share one packed element: 2 if the processor multiplies pairs of bfloat16
  // A tile sums `depth` packed elements of k before it adds them to its earlier sums, which keeps rounding errors small; `depth` is a
  // multiple of `depth_step`. `cuts` such sums make a pass, whose panel of B stays in the L2 cache. Narrow tiles finish so soon that cuts
  // cost several percent (Zen 3); wide tiles gain nothing (Zen 5).
  int depth, depth_step, cuts;

  int64_t block_bytes;  // of A per pass over a panel of B: for kernels so fast that reading B again from memory would slow them down

  // out[i * width + lane] = source[lane * lane_stride + i * k_stride], zeros for lanes from `lanes` to the width. With group 2 an element
  // holds the bits of steps 2 i and 2 i + 1; depths of panels are counted in elements.
  void (*pack_rows)(const T* source, int64_t lane_stride, int64_t k_stride, int lanes, int64_t k, P* out);
  void (*pack_cols)(const T* source, int64_t lane_stride, int64_t k_stride, int lanes, int64_t k, P* out);
  // Packs several panels of B with contiguous rows, with the same result as pack_cols for each. nullptr: not supported.
  void (*pack_panels)(const T* source, int64_t k_stride, int64_t cols, int64_t k, P* out);
  // Thread state that multiply, multiply_unpacked and few_by_... need: call begin before the first of many, end after the last; pairs may
  // nest. nullptr: no state.
  void (*begin)();
  void (*end)();
  // tile[MR][NR] (+)= packed A panel * packed B panel; at least the first rows x cols of it.
  void (*multiply)(int64_t k, const P* a, const P* b, P* tile, bool accumulate, int rows, int cols);
  // As multiply, on unpacked rows of A, `stride` apart and contiguous along k, with whole groups. nullptr: not supported.
  void (*multiply_unpacked)(int64_t k, const T* a, int64_t stride, const P* b, P* tile, bool accumulate, int rows, int cols);
  // As multiply if `packed` is not null, else as multiply_unpacked on `unpacked`; runs pieces of `work` between blocks of k. nullptr: not
  // supported.
  void (*multiply_with_pieces)(int64_t k, const P* packed, const T* unpacked, int64_t stride, const P* b, P* tile, bool accumulate,
                               int rows, const Pieces& work);
  // The last steps of a product, stored to `cols` contiguous elements, a multiple of `into_step`, of each of `rows` rows of C: before (a
  // tile) + A * packed B panel + bias, rounded; nullptr adds nothing. Groups of A are `step` bytes apart, its rows `row` bytes. nullptr:
  // not supported.
  void (*multiply_into)(int64_t k, const void* a, int64_t row, int64_t step, const P* b, const P* before, const T* bias, T* c,
                        int64_t c_stride, int rows, int cols);
  int into_step;
  // C[rows][cols] (+)= A[rows][k] * B[k][cols] on unpacked row-major matrices, for at most NR columns; whole vectors of B are read. Real
  // types only.
  void (*multiply_rows)(int64_t k, const P* a, int64_t a_stride, const P* b, int64_t b_stride, P* c, int64_t c_stride, bool accumulate,
                        int rows, int cols);
  // As multiply, with rows of B in place: the rows of each of `n` steps are `distance` apart, all NR columns of them. nullptr: not
  // supported.
  void (*multiply_steps)(const Steps* steps, int n, int64_t distance, const P* a, const P* b, P* tile, bool accumulate, int rows);
  // tile[rows][NR] = rows of A, one per position, * a packed panel of B: row i of A is at at[i], contiguous within each of `n` steps,
  // whose offsets are relative to it. Adds `start`, NR values for all rows, or the tile's contents if it is nullptr. Reads and writes MR
  // rows. nullptr: not supported.
  void (*multiply_positions)(const Steps* steps, int n, const P* const* at, const P* b, P* tile, const P* start, int rows, int cols);
  // Stores rows x cols sums, `tile_stride` apart, in C.
  void (*finish)(const P* tile, int64_t tile_stride, int64_t row, int64_t col, int64_t rows, int64_t cols, const Output<T>& output);
  // sums[rows][cols] of a few packed rows (a[row * k + i]) with `cols` columns of unpacked B: columns are k-contiguous and `stride`
  // apart, or rows are contiguous and `stride` apart.
  void (*skinny_by_dots)(int64_t k, int rows, const P* a, const T* b, int64_t stride, int64_t cols, P* sums);
  void (*skinny_by_rows)(int64_t k, int rows, const P* a, const T* b, int64_t stride, int64_t cols, P* sums);
  // As skinny_by_dots and skinny_by_rows, with few_least to few_most rows of A packed into few_words(rows, k) elements for few_by_dots
  // (`across`) or for few_by_rows. few_most 0: not supported.
  int few_least, few_most;
  int64_t (*few_words)(int rows, int64_t k);
  void (*pack_few)(const T* source, int64_t row_stride, int64_t k_stride, int rows, int64_t k, bool across, P* out);
  void (*few_by_dots)(int64_t k, int rows, const P* a, const T* b, int64_t stride, int64_t cols, P* sums);
  void (*few_by_rows)(int64_t k, int rows, const P* a, const T* b, int64_t stride, int64_t cols, P* sums);
};

// A scope in which a thread uses a matrix unit, if the kernels need one.
template <class T>
class MatrixUnitScope {
 public:
  explicit MatrixUnitScope(const GemmKernels<T>& kernel) : end_(kernel.end) {
    if (kernel.begin) kernel.begin();
  }
  ~MatrixUnitScope() {
    if (end_) end_();
  }
  MatrixUnitScope(const MatrixUnitScope&) = delete;
  MatrixUnitScope& operator=(const MatrixUnitScope&) = delete;

 private:
  void (*end_)();
};

template <class T>
const GemmKernels<T>& kernels_avx512();
template <class T>
const GemmKernels<T>& kernels_avx2();
template <class T>
const GemmKernels<T>& kernels_baseline();
// Alternative tile sizes for whole AVX-512 products.
const GemmKernels<float>& kernels_avx512_wide();
// Only for processors with AVX512_BF16.
const GemmKernels<BFloat16>& kernels_avx512_bf16();
bool has_avx512_bf16();
// Only for processors with AMX, which this function requests and tests. Whole products only, since A is packed differently.
const GemmKernels<BFloat16>& kernels_amx();
bool has_amx_bf16();

}  // namespace mt::cpu::detail
