// Attention by blocks against the definition in double, forward and backward, with masks, causality and long rows.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "cpu/attention/attention.h"

namespace mt::cpu {
namespace {

struct Case {
  int64_t q_len, k_len;
  bool causal, masked;
};

// The operands of attention for one batch entry with two heads. The heads' rows are interleaved, as a linear projection leaves them.
struct Problem {
  static constexpr int64_t heads = 2, dim = 6;
  Case c;
  std::vector<double> q, k, v, g, mask;
  explicit Problem(Case c_) : c(c_) {
    std::mt19937 random(static_cast<uint32_t>(c.q_len * 1000 + c.k_len));
    std::normal_distribution<double> normal;
    for (auto* x : {&q, &g}) x->resize(static_cast<size_t>(c.q_len * heads * dim));
    for (auto* x : {&k, &v}) x->resize(static_cast<size_t>(c.k_len * heads * dim));
    mask.resize(static_cast<size_t>(c.q_len * c.k_len));
    for (auto* x : {&q, &k, &v, &g, &mask}) {
      for (double& value : *x) value = normal(random);
    }
    for (size_t i = 0; i < mask.size(); i += 3) mask[i] = -INFINITY;
    for (int64_t j = 0; j < c.k_len; ++j) mask[static_cast<size_t>(c.q_len / 2 * c.k_len + j)] = -INFINITY;
  }
  static size_t at(int64_t row, int64_t h, int64_t col) { return static_cast<size_t>((row * heads + h) * dim + col); }

  struct Answer {
    std::vector<double> out, lse, dq, dk, dv;
  };
  Answer attend_by_definition(double scale) const {
    Answer a{q, std::vector<double>(static_cast<size_t>(heads * c.q_len)), q, k, v};
    for (auto* x : {&a.out, &a.dq, &a.dk, &a.dv}) std::fill(x->begin(), x->end(), 0.0);
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t i = 0; i < c.q_len; ++i) {
        std::vector<double> p(static_cast<size_t>(c.k_len)), dp(p.size());
        double peak = -INFINITY, total = 0;
        for (int64_t j = 0; j < c.k_len; ++j) {
          double s = 0;
          for (int64_t d = 0; d < dim; ++d) s += q[at(i, h, d)] * k[at(j, h, d)];
          s = s * scale + (c.masked ? mask[static_cast<size_t>(i * c.k_len + j)] : 0.0);
          if (c.causal && j > i) s = -INFINITY;
          p[static_cast<size_t>(j)] = s;
          peak = std::max(peak, s);
        }
        if (peak == -INFINITY) continue;
        for (double& s : p) total += s = std::exp(s - peak);
        a.lse[static_cast<size_t>(h * c.q_len + i)] = peak + std::log(total);
        double delta = 0;
        for (int64_t j = 0; j < c.k_len; ++j) {
          const size_t n = static_cast<size_t>(j);
          p[n] /= total;
          for (int64_t d = 0; d < dim; ++d) {
            a.out[at(i, h, d)] += p[n] * v[at(j, h, d)];
            a.dv[at(j, h, d)] += p[n] * g[at(i, h, d)];
            dp[n] += g[at(i, h, d)] * v[at(j, h, d)];
          }
          delta += p[n] * dp[n];
        }
        for (int64_t j = 0; j < c.k_len; ++j) {
          const double ds = p[static_cast<size_t>(j)] * (dp[static_cast<size_t>(j)] - delta) * scale;
          for (int64_t d = 0; d < dim; ++d) {
            a.dq[at(i, h, d)] += ds * k[at(j, h, d)];
            a.dk[at(j, h, d)] += ds * q[at(i, h, d)];
          }
        }
      }
    }
    return a;
  }
};

template <class T>
Heads<T> view(T* data) {
  return {data, 0, Problem::dim, Problem::heads * Problem::dim, 1};
}

template <class T>
void check(const Case& c, double tolerance) {
  using L = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const Problem p(c);
  const Problem::Answer want = p.attend_by_definition(0.4);
  auto convert = [](const std::vector<double>& from) {
    std::vector<T> to;
    for (double value : from) to.push_back(T(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(value)));
    return to;
  };
  const std::vector<T> q = convert(p.q), k = convert(p.k), v = convert(p.v), g = convert(p.g), mask = convert(p.mask);
  std::vector<T> out(q.size()), dq(q.size()), dk(k.size()), dv(v.size());
  std::vector<L> lse(want.lse.size());
  const AttentionShape shape{1, p.heads, c.q_len, c.k_len, p.dim, p.dim, 0.4, c.causal};
  const Heads<const T> bias{c.masked ? mask.data() : nullptr, 0, 0, c.k_len, 1};
  attention_forward<T, T, L>(shape, view(q.data()), view(k.data()), view(v.data()), bias, view(out.data()), {lse.data(), 0, c.q_len, 1, 1});
  attention_backward<T, T, L>(shape, view(g.data()), view(q.data()), view(k.data()), view(v.data()), bias, view<const T>(out.data()),
                              {lse.data(), 0, c.q_len, 1, 1}, view(dq.data()), view(dk.data()), view(dv.data()));
  auto near = [&](const auto& got, const std::vector<double>& expected, const char* name) {
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(static_cast<double>(got[i]), expected[i], tolerance * (1 + std::fabs(expected[i])))
          << name << " " << c.q_len << "x" << c.k_len << " at " << i;
    }
  };
  near(out, want.out, "out");
  near(lse, want.lse, "logsumexp");
  near(dq, want.dq, "grad query");
  near(dk, want.dk, "grad key");
  near(dv, want.dv, "grad value");
}

TEST(Attention, AgreesWithItsDefinition) {
  for (const Case& c : {Case{1, 1, false, false},
                        {5, 7, false, false},
                        {5, 7, false, true},
                        {40, 40, true, false},
                        {150, 150, true, false},
                        {150, 1100, false, true},
                        {3, 600, false, true},
                        {700, 700, true, false},
                        {130, 0, false, false}}) {
    check<double>(c, 1e-10);
    check<float>(c, 2e-5);
    check<BFloat16>(c, 0.1);
  }
}

}  // namespace
}  // namespace mt::cpu
