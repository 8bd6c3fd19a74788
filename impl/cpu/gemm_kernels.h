// What the portable driver in gemm.cpp asks of each instruction set: packing, one tile, finishing, and skinny products.
#pragma once

#include <cstdint>
#include <type_traits>

#include "gemm.h"

namespace mt::cpu::detail {

// The type products are computed in. Integers wrap, so unsigned arithmetic of 32 bits serves all narrower ones too.
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

// Where finished sums go.
template <class T>
struct Output {
  GemmScalar<T> alpha;
  GemmScalar<T> beta;
  Matrix<T> c;
  Epilogue<T> epilogue;
};

// Up to here packing B costs more than reading it in place; measured on Zen 5 with the kernels of AVX2 and of AVX-512.
constexpr int max_rows_by_dots = 16;
constexpr int short_dot = 256;  // below this, adding up the lanes costs too much for more than a few rows
constexpr int max_rows_by_rows = 16;
constexpr int short_line = 16;     // of B, which costs little to pack
constexpr int max_cols_transposed = 12;  // of a tall product, as rows of the transposed one: its other operand is not packed either way

// `count` steps of k whose rows of B lie at the same distance from each other, the first at `offset`.
struct Steps {
  int64_t offset, count;
};

// Work for the vector registers, while a unit beside them multiplies: piece after piece from 0 on, until one says that there was none.
class Pieces {
 public:
  Pieces() : context_(nullptr), piece_([](const void*, int64_t) { return false; }) {}
  template <class F>
  explicit Pieces(const F& f)  // which lives as long as the call that this is for
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
  int group;      // steps of k that share one packed element: 2 where the processor multiplies pairs of bfloat16
  // Packed elements of k that a tile sums before they are added to what it has, which keeps rounding small, in multiples of `depth_step`;
  // and how many such cuts make a pass, whose panel of B stays in the second-level cache. Narrow tiles are over so soon that cuts cost
  // them several percent (Zen 3), wide ones gain nothing (Zen 5).
  int depth, depth_step, cuts;

  int64_t block_bytes;  // of A, as many as may pass each panel of B: for kernels so fast that reading B again from afar would hold them up

  // out[i * width + lane] = source[lane * lane_stride + i * k_stride], zeros for lanes from `lanes` to the width. With
  // group 2 an element holds the bits of steps 2 i and 2 i + 1; depths of panels are counted in elements.
  void (*pack_rows)(const T* source, int64_t lane_stride, int64_t k_stride, int lanes, int64_t k, P* out);
  void (*pack_cols)(const T* source, int64_t lane_stride, int64_t k_stride, int lanes, int64_t k, P* out);
  // Panels of B whose rows are contiguous, side by side: as pack_cols would leave each, one after the other. nullptr: not offered.
  void (*pack_panels)(const T* source, int64_t k_stride, int64_t cols, int64_t k, P* out);
  // What multiply, multiply_unpacked and few_by_... need of the thread that calls them: begin before the first of many, end after the
  // last; pairs may nest. nullptr: nothing.
  void (*begin)();
  void (*end)();
  // tile[MR][NR] (+)= packed A panel * packed B panel; at least the first rows x cols of it.
  void (*multiply)(int64_t k, const P* a, const P* b, P* tile, bool accumulate, int rows, int cols);
  // The same on rows of A as they lie, `stride` apart and contiguous along k, which fills its groups. nullptr: only on packed ones.
  void (*multiply_unpacked)(int64_t k, const T* a, int64_t stride, const P* b, P* tile, bool accumulate, int rows, int cols);
  // The one or the other, as `packed` is not nullptr or is, with other work meanwhile. nullptr: not offered.
  void (*multiply_beside)(int64_t k, const P* packed, const T* lying, int64_t stride, const P* b, P* tile, bool accumulate, int rows,
                          const Pieces& work);
  // The last steps of a product, into `cols` contiguous elements, a multiple of `into_step`, of each of `rows` rows of C: before (a tile)
  // + A * packed B panel + bias, rounded; nullptr adds nothing. Groups of A lie `step` bytes apart, its rows `row` bytes. nullptr: not
  // offered.
  void (*multiply_into)(int64_t k, const void* a, int64_t row, int64_t step, const P* b, const P* before, const T* bias, T* c,
                        int64_t c_stride, int rows, int cols);
  int into_step;
  // C[rows][cols] (+)= A[rows][k] * B[k][cols] as they lie row by row, for at most NR columns; whole vectors of B are read.
  // Real types only.
  void (*multiply_rows)(int64_t k, const P* a, int64_t a_stride, const P* b, int64_t b_stride, P* c, int64_t c_stride, bool accumulate,
                        int rows, int cols);
  // As multiply, with rows of B where they lie: those of each of `n` steps, `distance` apart, all NR columns of them. nullptr: not
  // offered.
  void (*multiply_steps)(const Steps* steps, int n, int64_t distance, const P* a, const P* b, P* tile, bool accumulate, int rows);
  // tile[rows][NR] = rows of A, of one position each, * a packed panel of B: row i of A lies at at[i], contiguous within each of `n`
  // steps, whose offsets are from there; + `start`, NR values for all rows, or where that is nullptr + what the tile has. MR rows are
  // read and written. nullptr: not offered.
  void (*multiply_positions)(const Steps* steps, int n, const P* const* at, const P* b, P* tile, const P* start, int rows, int cols);
  // Writes rows x cols sums, at distance `tile_stride`, to their place in C.
  void (*finish)(const P* tile, int64_t tile_stride, int64_t row, int64_t col, int64_t rows, int64_t cols, const Output<T>& output);
  // sums[rows][cols] of a few packed rows (a[row * k + i]) with `cols` columns of B, which is not packed.
  // Columns lie k-contiguous at distance `stride`, or rows of columns lie contiguous at distance `stride`.
  void (*skinny_by_dots)(int64_t k, int rows, const P* a, const T* b, int64_t stride, int64_t cols, P* sums);
  void (*skinny_by_rows)(int64_t k, int rows, const P* a, const T* b, int64_t stride, int64_t cols, P* sums);
  // The same with few_least to few_most rows of A packed, into few_words(rows, k) elements, for few_by_dots (`across`) or for few_by_rows.
  // few_most 0: not offered.
  int few_least, few_most;
  int64_t (*few_words)(int rows, int64_t k);
  void (*pack_few)(const T* source, int64_t row_stride, int64_t k_stride, int rows, int64_t k, bool across, P* out);
  void (*few_by_dots)(int64_t k, int rows, const P* a, const T* b, int64_t stride, int64_t cols, P* sums);
  void (*few_by_rows)(int64_t k, int rows, const P* a, const T* b, int64_t stride, int64_t cols, P* sums);
};

// A thread's use of the unit that kernels may need.
template <class T>
class InUse {
 public:
  explicit InUse(const GemmKernels<T>& kernel) : end_(kernel.end) {
    if (kernel.begin) kernel.begin();
  }
  ~InUse() {
    if (end_) end_();
  }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

 private:
  void (*end_)();
};

template <class T>
const GemmKernels<T>& kernels_avx512();
template <class T>
const GemmKernels<T>& kernels_avx2();
template <class T>
const GemmKernels<T>& kernels_baseline();
// Other tiles for whole products of AVX-512.
const GemmKernels<float>& kernels_avx512_wide();
// Only for processors with AVX512_BF16.
const GemmKernels<BFloat16>& kernels_avx512_bf16();
bool has_avx512_bf16();
// Only for processors with AMX, which this asks for and tries; whole products alone, since A is packed in another way.
const GemmKernels<BFloat16>& kernels_amx();
bool has_amx_bf16();

}  // namespace mt::cpu::detail
