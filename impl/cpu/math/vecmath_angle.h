// The sine and cosine of a double together: the angle is reduced once for both.
#pragma once

#include "cpu/math/vecmath.h"

namespace mt::cpu::vec::detail {

#define MT_VEC __attribute__((always_inline)) inline

constexpr double largest_angle = 1e6;  // beyond this the C library reduces the angle exactly
// Half of pi as a sum of three numbers.
constexpr double half_pi_high = 0x1.921fb54442d18p+0, half_pi_low = 0x1.1a62633145c07p-54, half_pi_lowest = -0x1.f1976b7ed8fbcp-110;

// The remainder of an angle after subtracting a multiple of pi / 2; `quadrant` has that multiple's last bits.
struct Angle {
  double sine, cosine;
  uint64_t quadrant;
};
MT_VEC Angle angle_of(double x) {
  const double shifted = fused(x, 0.63661977236758134308, round_double), k = shifted - round_double;
  const double r = fused(k, -half_pi_lowest, fused(k, -half_pi_low, fused(k, -half_pi_high, x))), z = r * r;
  double s = -7.586691094197958e-13;
  s = fused(s, z, 1.6058531516797758e-10);
  s = fused(s, z, -2.5052106231802837e-08);
  s = fused(s, z, 2.7557319219337312e-06);
  s = fused(s, z, -0.00019841269841265063);
  s = fused(s, z, 0.008333333333333331);
  s = fused(s, z, -0.16666666666666666);
  double c = 4.7458685530816656e-14;
  c = fused(c, z, -1.1470460830795304e-11);
  c = fused(c, z, 2.0876755790721963e-09);
  c = fused(c, z, -2.755731922140179e-07);
  c = fused(c, z, 2.4801587301584645e-05);
  c = fused(c, z, -0.0013888888888888887);
  c = fused(c, z, 0.041666666666666664);
  const double most = fused(z, -0.5, 1.0);
  return {fused(r * z, s, r), most + fused(z * z, c, fused(z, -0.5, 1.0 - most)), std::bit_cast<uint64_t>(shifted)};
}
MT_VEC double flip_sign_by_quadrant(double y, uint64_t quadrant) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(y) ^ ((quadrant & 2u) << 62));
}
MT_VEC double sine_of(Angle a) { return flip_sign_by_quadrant((a.quadrant & 1u) != 0 ? a.cosine : a.sine, a.quadrant); }
MT_VEC double cosine_of(Angle a) { return flip_sign_by_quadrant((a.quadrant & 1u) != 0 ? a.sine : a.cosine, a.quadrant + 1u); }

#undef MT_VEC

}  // namespace mt::cpu::vec::detail
