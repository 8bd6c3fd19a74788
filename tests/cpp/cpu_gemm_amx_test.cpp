// The product kernel for AMX on an emulated tile unit that follows the instructions' definitions (Intel's Software Developer's Manual:
// LDTILECFG, TILELOADD, TDPBF16PS), since few processors have a real one; against a plain triple loop on small integers, which is exact.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "core/capability.h"
#include "cpu/gemm/gemm_amx.h"

#if MT_HAS_X86_TARGETS
namespace mt::cpu::detail {
namespace {

struct Emulated {
  const TileConfig config{};
  std::array<std::array<std::array<char, 64>, 16>, 8> tiles{};

  template <int T>
  void zero() {
    for (auto& row : tiles[T]) row.fill(0);
  }
  template <int T>
  void load(const void* data, int64_t stride) {
    zero<T>();
    const char* from = static_cast<const char*>(data);
    for (int i = 0; i < config.rows[T]; ++i) std::memcpy(tiles[T][i].data(), from + i * stride, config.row_bytes[T]);
  }
  template <int T>
  void store(void* data, int64_t stride) {
    for (int i = 0; i < config.rows[T]; ++i) std::memcpy(static_cast<char*>(data) + i * stride, tiles[T][i].data(), config.row_bytes[T]);
  }
  template <int C, int A, int B>
  void dot() {
    // The processor raises an invalid-opcode exception if the tiles' shapes do not agree.
    ASSERT_TRUE(config.rows[C] == config.rows[A] && config.row_bytes[C] == config.row_bytes[B] &&
                config.row_bytes[A] / 4 == config.rows[B]);
    for (int m = 0; m < config.rows[C]; ++m) {
      for (int k = 0; k < config.row_bytes[A] / 4; ++k) {
        for (int n = 0; n < config.row_bytes[C] / 4; ++n) {
          float sum;
          std::memcpy(&sum, &tiles[C][m][n * 4], 4);
          for (int half = 0; half < 2; ++half) sum += element(A, m, 2 * k + half) * element(B, k, 2 * n + half);
          std::memcpy(&tiles[C][m][n * 4], &sum, 4);
        }
      }
    }
  }
  float element(int tile, int row, int at) const {
    BFloat16 value;
    std::memcpy(&value, &tiles[tile][row][at * 2], 2);
    return static_cast<float>(value);
  }
};

struct Case {
  std::vector<BFloat16> a, b;
  int64_t row_stride, k_stride;
  int rows;
  int64_t k;

  // Layouts of A: rows contiguous, columns contiguous, neither.
  Case(int m, int64_t depth, int layout, unsigned seed) : rows(m), k(depth) {
    row_stride = layout == 0 ? k + 3 : layout == 1 ? 1 : 2 * k + 1;
    k_stride = layout == 0 ? 1 : layout == 1 ? m + 1 : 2;
    std::mt19937 random(seed);
    const auto small = [&] { return BFloat16(static_cast<float>(static_cast<int>(random() % 9) - 4)); };
    a.resize(static_cast<size_t>((m + 2) * (k + 3) * 2));
    b.resize(static_cast<size_t>(k * amx_cols));
    for (BFloat16& x : a) x = small();
    for (BFloat16& x : b) x = small();
  }
  float sum(int i, int j) const {
    float total = 0;
    for (int64_t p = 0; p < k; ++p) total += static_cast<float>(a[i * row_stride + p * k_stride]) * static_cast<float>(b[p * amx_cols + j]);
    return total;
  }
  int64_t pairs() const { return (k + 1) / 2; }
  std::vector<float> packed_b() const {  // pairs of rows, interleaved
    std::vector<float> out(static_cast<size_t>(pairs() * amx_cols));
    auto* words = reinterpret_cast<BFloat16*>(out.data());
    for (int64_t p = 0; p < 2 * pairs(); ++p)
      for (int j = 0; j < amx_cols; ++j) words[(p / 2 * amx_cols + j) * 2 + p % 2] = p < k ? b[p * amx_cols + j] : BFloat16(0.0f);
    return out;
  }
};

constexpr int64_t depths[] = {1, 2, 31, 32, 33, 64, 74, 200};
constexpr int heights[] = {1, 5, 16, 17, 29, 32};

TEST(GemmAmx, TheTilesAreConfiguredAsTheProcessorAllows) {
  const TileConfig config;
  EXPECT_EQ(config.palette, 1);
  for (int t = 0; t < 8; ++t)
    EXPECT_TRUE(config.rows[t] >= 1 && config.rows[t] <= 16 && config.row_bytes[t] >= 1 && config.row_bytes[t] <= 64) << t;
  for (int t = 8; t < 16; ++t) EXPECT_TRUE(config.rows[t] == 0 && config.row_bytes[t] == 0) << t;  // anything else is a fault
  EXPECT_EQ(config.start_row, 0);
  for (const uint8_t byte : config.reserved) EXPECT_EQ(byte, 0);
}

TEST(GemmAmx, PackedOperandsGiveTheExactSums) {
  if (!has_avx512_bf16()) GTEST_SKIP() << "packing needs AVX512_BF16";
  for (int layout : {0, 1, 2}) {
    for (int rows : heights) {
      for (int64_t k : depths) {
        const Case c(rows, k, layout, static_cast<unsigned>(rows * 1000 + k));
        const std::vector<float> b = c.packed_b();
        std::vector<float> a(static_cast<size_t>(c.pairs() * amx_rows), -1.0f);
        pack_amx_rows(c.a.data(), c.row_stride, c.k_stride, rows, k, a.data());
        float tile[amx_rows * amx_cols];
        // The driver splits long sums, so the test calls the kernel twice: the second call adds to the first call's tile.
        const int64_t cut = c.pairs() / 2 / amx_depth * amx_depth;
        if (cut) multiply_amx(Emulated(), cut, amx_packed(cut, a.data()), b.data(), tile, false, rows);
        const int64_t rest = c.pairs() - cut;
        multiply_amx(Emulated(), rest, amx_packed(rest, a.data() + cut * amx_rows), b.data() + cut * amx_cols, tile, cut > 0, rows);
        for (int i = 0; i < rows; ++i) {
          for (int j = 0; j < amx_cols; ++j)
            ASSERT_EQ(tile[i * amx_cols + j], c.sum(i, j)) << layout << ' ' << rows << ' ' << k << ' ' << i;
        }
      }
    }
  }
}

TEST(GemmAmx, InterleavedWorkRunsOnceInOrderAndChangesNoSum) {
  for (int64_t k : {2, 64, 200}) {
    const Case c(32, k, 0, static_cast<unsigned>(k));
    const std::vector<float> b = c.packed_b();
    for (int64_t pieces : {0, 1, 3, 8}) {
      float tile[amx_rows * amx_cols];
      std::vector<int64_t> done;
      const auto work = [&](int64_t i) {
        if (i >= pieces) return false;
        done.push_back(i);
        return true;
      };
      multiply_amx(Emulated(), c.pairs(), amx_in_place(c.a.data(), c.row_stride, 32), b.data(), tile, false, 32, Pieces(work));
      ASSERT_EQ(done.size(), static_cast<size_t>(pieces));
      for (int64_t i = 0; i < pieces; ++i) ASSERT_EQ(done[static_cast<size_t>(i)], i);
      for (int i = 0; i < 32; ++i)
        for (int j = 0; j < amx_cols; ++j) ASSERT_EQ(tile[i * amx_cols + j], c.sum(i, j)) << k << ' ' << i << ' ' << j;
    }
  }
}

TEST(GemmAmx, RowsAreReadInPlaceAndWithinBounds) {
  for (int rows : heights) {
    for (int64_t k : depths) {
      if (k % 2) continue;
      Case c(rows, k, 0, static_cast<unsigned>(rows * 1000 + k));
      c.a.resize(static_cast<size_t>((rows - 1) * c.row_stride + k));  // the address sanitizer sees a read past the last row
      c.a.shrink_to_fit();
      const std::vector<float> b = c.packed_b();
      float tile[amx_rows * amx_cols];
      multiply_amx(Emulated(), c.pairs(), amx_in_place(c.a.data(), c.row_stride, rows), b.data(), tile, false, rows);
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < amx_cols; ++j) ASSERT_EQ(tile[i * amx_cols + j], c.sum(i, j)) << rows << ' ' << k << ' ' << i << ' ' << j;
      }
    }
  }
}

// B's columns in place (contiguous along k), or its rows. The allocation has the exact size, so that the address sanitizer detects
// out-of-bounds reads.
TEST(GemmAmx, FewRowsComputeExactSumsOfColumnsAndRowsOfBInPlace) {
  if (!has_avx512_bf16()) GTEST_SKIP() << "the rows of B are interleaved by AVX512_BF16's kernels";
  std::mt19937 random(7);
  for (int rows : {1, 7, 16, 17, 32}) {
    for (int64_t k : depths) {
      for (int64_t cols : {1, 15, 16, 33, 64, 100}) {
        for (bool by_dots : {false, true}) {
          const int64_t lines = by_dots ? cols : k, length = by_dots ? k : cols, stride = length + 5;
          std::vector<BFloat16> b(static_cast<size_t>((lines - 1) * stride + length)), a(static_cast<size_t>(rows * k));
          for (BFloat16& x : a) x = BFloat16(static_cast<float>(static_cast<int>(random() % 9) - 4));
          for (BFloat16& x : b) x = BFloat16(static_cast<float>(static_cast<int>(random() % 9) - 4));
          for (bool rows_lie : {false, true}) {  // A's rows are contiguous, else its columns
            const int64_t row_stride = rows_lie ? k : 1, k_stride = rows_lie ? 1 : rows;
            std::vector<float> x(static_cast<size_t>(amx_few_words(rows, k)), -1.0f), sums(static_cast<size_t>(rows * cols), -1.0f);
            pack_amx_few(a.data(), row_stride, k_stride, rows, k, by_dots, x.data());
            const auto multiply = by_dots ? (rows > 16 ? few_by_dots_amx<2, Emulated> : few_by_dots_amx<1, Emulated>)
                                          : (rows > 16 ? few_by_rows_amx<2, Emulated> : few_by_rows_amx<1, Emulated>);
            multiply(Emulated(), k, rows, x.data(), b.data(), stride, cols, sums.data());
            for (int i = 0; i < rows; ++i) {
              for (int64_t j = 0; j < cols; ++j) {
                float sum = 0;
                for (int64_t p = 0; p < k; ++p)
                  sum += static_cast<float>(a[static_cast<size_t>(i * row_stride + p * k_stride)]) *
                         static_cast<float>(b[static_cast<size_t>(by_dots ? j * stride + p : p * stride + j)]);
                ASSERT_EQ(sums[static_cast<size_t>(i * cols + j)], sum)
                    << rows << ' ' << k << ' ' << cols << ' ' << by_dots << ' ' << i << ' ' << j;
              }
            }
          }
        }
      }
    }
  }
}

TEST(GemmAmx, PanelsPackedTogetherEqualPanelsPackedAlone) {
  if (!has_avx512_bf16()) GTEST_SKIP() << "no AVX512_BF16 here";
  const GemmKernels<BFloat16>& kernel = kernels_avx512_bf16();
  for (int64_t k : depths) {
    for (int64_t cols : {1, 32, 33, 128, 290}) {
      const int64_t stride = cols + 3, panel = (k + 1) / 2 * kernel.tile_cols, panels = (cols + kernel.tile_cols - 1) / kernel.tile_cols;
      std::vector<BFloat16> b(static_cast<size_t>((k - 1) * stride + cols));
      for (size_t i = 0; i < b.size(); ++i) b[i] = BFloat16(static_cast<float>(i % 251));
      std::vector<float> together(static_cast<size_t>(panels * panel), -1.0f), alone = together;
      kernel.pack_panels(b.data(), stride, cols, k, together.data());
      for (int64_t j = 0; j < cols; j += kernel.tile_cols)
        kernel.pack_cols(b.data() + j, 1, stride, static_cast<int>(std::min<int64_t>(kernel.tile_cols, cols - j)), k,
                         alone.data() + j / kernel.tile_cols * panel);
      ASSERT_EQ(std::memcmp(together.data(), alone.data(), together.size() * sizeof(float)), 0) << k << ' ' << cols;
    }
  }
}

TEST(GemmAmx, TileKernelsAreSelectedWithAmx) {
  if (!has_amx_bf16()) GTEST_SKIP() << "no AMX here";
  EXPECT_EQ(kernels_amx().tile_rows, amx_rows);
  EXPECT_EQ(kernels_amx().depth_step, amx_depth);
}

}  // namespace
}  // namespace mt::cpu::detail
#endif
