// special_airy_ai: Airy's function Ai.
#include <cmath>

#include "cpu/math/vecmath_fits.h"
#include "rules/special/special.h"

namespace mt {
namespace {

// Our own Chebyshev fits, accurate to 1e-17, from 60-digit values.
constexpr double airy_a[] = {
    0.07916021996064239,    0.01126033723039793,     0.05479935195854044,     -0.06200688698757009,    -0.2656756721963284,
    0.0607842147279211,     0.07867778478103633,     -0.02210955167205622,    -0.008814094964236265,   0.0035871278916666943,
    0.00035520270416690224, -0.00031035669830111384, 1.4183421950742096e-05,  1.525394525088368e-05,   -2.3944990755092513e-06,
    -3.792447378593734e-07, 1.3107569898415468e-07,  -8.968966803375345e-10,  -3.956336741364386e-09,  4.236043498706396e-10,
    6.097413749879225e-11,  -1.6045501730850525e-11, 1.6040219758435653e-13,  3.1779355508169295e-13,  -3.201195055465829e-14,
    -2.918627292692906e-15, 8.029648614063836e-16,   -2.2076095242074917e-17, -1.0366970030174455e-17, 1.1808587801221977e-18,
};
constexpr double airy_b[] = {
    0.11447758651998736,     0.42127788420449913,    -0.027734597101387943,  -0.23365796110601145,    0.06939559564577408,
    0.024461772007139792,    -0.014766437693581868,  0.0008023889779525898,  0.0010230295738488458,   -0.0002514931206909262,
    -1.2152476924968542e-05, 1.4468912917662048e-05, -1.865453687423982e-06, -2.599357801871398e-07,  1.0341710658801066e-07,
    -6.957126687005273e-09,  -1.951709352397157e-09, 4.440109838536824e-10,  -1.1398870033140025e-11, -8.370115586923187e-12,
    1.2611082165186202e-12,  1.0125908288303646e-14, -2.379952365410891e-14, 2.5144316602653423e-15,  1.0116342805635523e-16,
    -4.852103290649533e-17,  3.647606575795266e-18,
};
constexpr double airy_c[] = {
    0.33670019167482507,     -0.05236898588281803,    -0.03060993791997315,   0.003984472722762132,    0.00045243798638020996,
    -0.00010262369086492433, -4.1825804086959417e-07, 1.2976517686715515e-06, -6.806051502550766e-08,  -8.304506582655047e-09,
    9.801176929925504e-10,   1.1470686996967361e-11,  -6.938853891456652e-12, 2.543323779126992e-13,   2.6066864841845407e-14,
    -2.4048836670521994e-15, -1.74274616356787e-17,   1.0983449261668292e-17, -3.7474965176489256e-19,
};
constexpr double airy_d[] = {
    0.9844053049171552,      -0.014792784850104199,  0.0007327177465426715,   -6.12595423417825e-05,   6.83476697557269e-06,
    -9.237229735403982e-07,  1.436225340438052e-07,  -2.489319422322096e-08,  4.709793440054328e-09,   -9.583863708112733e-10,
    2.0745855483677591e-10,  -4.737267332192277e-11, 1.1336099808224236e-11,  -2.827706782319351e-12,  7.320712095125598e-13,
    -1.9599793911089723e-13, 5.4101162570683925e-14, -1.5356466802223836e-14, 4.472340393300025e-15,   -1.3338094674756683e-15,
    4.066582046456231e-16,   -1.265583225645289e-16, 4.015126334015871e-17,   -1.2969972135960937e-17, 4.2613499074124e-18,
    -1.422676842293507e-18,
};
constexpr double airy_f[] = {
    0.9999188179179308,      -8.104660923669418e-05, 1.3475665984689078e-07,  -7.085584714312658e-10, 7.48184186508309e-12,
    -1.2902774343407968e-13, 3.225040209748759e-15,  -1.0809146475761038e-16, 4.600692858267513e-18,
};
constexpr double airy_g[] = {
    0.0693617822693956,    -8.239286225558228e-05,  2.672091950986567e-07,  -2.074236853681907e-09,
    2.87339259334291e-11,  -6.087352091889245e-13,  1.7924891244638023e-14, -6.875999019684054e-16,
    3.279803636500588e-17, -1.8787767960871875e-18, 1.2582717832070887e-19,
};

template <size_t N>
double chebyshev_sum(const double (&c)[N], double t) {
  return cpu::vec::chebyshev_loop(c, N, t);
}
[[gnu::noinline]] double airy_ai(double x) {
  if (!std::isfinite(x)) return __builtin_nan("");
  const double z = 2.0 / 3 * std::fabs(x) * std::sqrt(std::fabs(x));
  constexpr double border_8 = 15.084944665313014, border_2 = 1.8856180831641267;  // z at 8 and at 2
  if (x < -8) {  // an oscillation whose amplitude and phase vary slowly
    const double t = 2 * (border_8 / z) * (border_8 / z) - 1, angle = z - 0.78539816339744830962;
    const double f = chebyshev_sum(airy_f, t), g = chebyshev_sum(airy_g, t) / z;
    return (f * std::cos(angle) + g * std::sin(angle)) * 0.56418958354775628695 / std::sqrt(std::sqrt(-x));
  }
  if (x < -4) return chebyshev_sum(airy_a, x / 2 + 3);
  if (x < 0) return chebyshev_sum(airy_b, x / 2 + 1);
  if (x < 2) return chebyshev_sum(airy_c, x - 1) * std::exp(-x);
  return chebyshev_sum(airy_d, 2 * border_2 / z - 1) * std::exp(-z) * 0.28209479177387814347 / std::sqrt(std::sqrt(x));
}
constexpr auto airy_ai_of = [](auto x) { return decltype(x)(airy_ai(x)); };

MT_OP(OpDef{
    .schema = {"special_airy_ai(Tensor x) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes Airy's function Ai of each element (DLMF 9.2).

By Chebyshev fits and, below -8, by an oscillation of slowly varying amplitude and phase.
Infinities give NaN. float32 and float64 only; integer and bool input is converted to the default
float dtype. There is no derivative.

Args:
    x (Tensor): any shape; float32, float64, integer or bool.

Returns:
    Tensor: shape of the input; float32 or float64.

Example:
    >>> torch.special.airy_ai(torch.tensor([0.0, 1.0, -2.0]))
    tensor([0.3550, 0.1353, 0.2274]))",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_by_vector_calls<airy_ai_of, 1>("airy_ai_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
