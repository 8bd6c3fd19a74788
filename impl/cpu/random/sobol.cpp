// The table of Sobol direction numbers and the recurrence that extends it.
#include "cpu/random/sobol.h"

// For each dimension but the first: the number of odd numbers between its primitive polynomial and the previous dimension's (1 before the
// first), in a Rice code: the quotient by 8 as that many ones and a zero, then the remainder in 3 bits. Then, for i = 0 ... s - 1 below
// the degree s, the odd number m_i < 2^(i + 1) as i bits of m_i / 2. Least significant bit first, without gaps.
asm(".pushsection .rodata\n"
    ".hidden mt_sobol_table\n"
    ".global mt_sobol_table\n"
    "mt_sobol_table:\n"
    ".incbin \"" MT_SOBOL_TABLE
    "\"\n"
    ".popsection\n");
extern "C" const uint8_t mt_sobol_table[] __attribute__((visibility("hidden")));

namespace mt::cpu {
namespace {

constexpr int remainder_bits = 3;

struct BitReader {
  int64_t position = 0;
  int64_t take_bits(int bits) {
    int64_t value = 0;
    for (int i = 0; i < bits; ++i, ++position) value |= int64_t(mt_sobol_table[position / 8] >> position % 8 & 1) << i;
    return value;
  }
  int64_t take_polynomial_gap() {
    int64_t quotient = 0;
    while (take_bits(1)) ++quotient;
    return (quotient << remainder_bits) + take_bits(remainder_bits);
  }
};

}  // namespace

void sobol_directions(int64_t dimensions, int64_t* out) {
  BitReader table;
  int64_t polynomial = 1;
  for (int64_t d = 0; d < dimensions; ++d) {
    int64_t* row = out + d * sobol_bits;
    if (d == 0) {
      for (int64_t j = 0; j < sobol_bits; ++j) row[j] = 1;
    } else {
      polynomial += 2 * (table.take_polynomial_gap() + 1);
      const int degree = 63 - __builtin_clzll(uint64_t(polynomial));
      for (int i = 0; i < degree; ++i) row[i] = 2 * table.take_bits(i) + 1;
      for (int64_t j = degree; j < sobol_bits; ++j) {  // m_j = m_(j-s) xor 2^k a_k m_(j-k), k = 1 ... s, a_s = 1
        row[j] = row[j - degree];
        for (int k = 1; k <= degree; ++k)
          if (polynomial >> (degree - k) & 1) row[j] ^= row[j - k] << k;
      }
    }
    for (int64_t j = 0; j < sobol_bits; ++j) row[j] <<= sobol_bits - 1 - j;
  }
}

}  // namespace mt::cpu
