// Makes and caches plans of Fourier transforms.
#include "cpu/fft/fft_plan.h"

#include <cmath>
#include <list>
#include <mutex>

namespace mt::cpu::detail {
namespace {

constexpr int64_t max_full_table = 1 << 15;   // larger tables are replaced by products of two roots
constexpr int64_t max_row_length = 1 << 15;  // elements; a longer transform does not fit into the caches in any pass
constexpr int64_t cache_limit = 64 << 20;
constexpr size_t max_cached_plans = 128;

// Reduces the angle to the nearest eighth of the circle, where sine and cosine have small arguments.
std::complex<double> root_of_unity(int64_t k, int64_t n) {
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  const int64_t eighth = int64_t((__int128(8) * k + n / 2) / n);
  const long double angle = 2 * pi * (static_cast<long double>(8 * __int128(k) - __int128(eighth) * n) / 8) / n;
  const long double c = std::cos(angle), s = std::sin(angle), h = std::sqrt(0.5L);
  long double re = c, im = s;
  switch (eighth % 8) {
    case 1: re = h * (c - s), im = h * (c + s); break;
    case 2: re = -s, im = c; break;
    case 3: re = -h * (c + s), im = h * (c - s); break;
    case 4: re = -c, im = -s; break;
    case 5: re = h * (s - c), im = -h * (c + s); break;
    case 6: re = s, im = -c; break;
    case 7: re = h * (c + s), im = h * (s - c); break;
    default: break;
  }
  return {double(re), double(-im)};
}

// The radices of n, factors of two first since those passes vectorise best; empty if a prime factor is too large.
std::vector<int> radices_of(int64_t n) {
  std::vector<int> radices;
  int twos = 0;
  for (; n % 2 == 0; n /= 2) ++twos;
  const int fours = twos % 3 == 0 ? 0 : twos % 3 == 2 ? 1 : twos >= 4 ? 2 : 0;
  for (int i = 0; i < (twos - 2 * fours) / 3; ++i) radices.push_back(8);
  radices.insert(radices.end(), size_t(fours), 4);
  if (twos == 1) radices.push_back(2);
  for (int radix : {7, 5, 3, 13, 11})  // the last two have no variant for the first pass
    for (; n % radix == 0; n /= radix) radices.push_back(radix);
  return n == 1 ? radices : std::vector<int>();
}
bool is_smooth(int64_t n) { return n == 1 || !radices_of(n).empty(); }

// The largest divisor of n that is at most its square root.
int64_t divisor_near_root(int64_t n) {
  int64_t best = 1;
  for (int64_t d = int64_t(std::sqrt(double(n))) + 1; d > 1; --d)
    if (n % d == 0 && d <= n / d) {
      best = d;
      break;
    }
  return best;
}

template <class T>
void push_components(std::vector<T>& to, std::complex<double> v) {
  to.push_back(T(v.real()));
  to.push_back(T(v.imag()));
}

template <class T>
void make_passes(Plan<T>& plan) {
  const Roots roots(plan.n);
  int64_t done = 1;
  for (int radix : radices_of(plan.n)) {
    const int64_t length = plan.n / done, m = length / radix;
    plan.passes.push_back({radix, m, plan.twiddles.size()});
    for (int64_t p = 0; p < m; ++p)
      for (int64_t k = 1; k < radix; ++k) push_components(plan.twiddles, roots[done * p * k]);
    if (done == 1) {
      plan.first_twiddles.resize(size_t(2 * (radix - 1) * m));
      for (int64_t k = 1; k < radix; ++k)
        for (int64_t p = 0; p < m; ++p) {
          const std::complex<double> w = roots[p * k];
          plan.first_twiddles[size_t(2 * m * (k - 1) + p)] = T(w.real());
          plan.first_twiddles[size_t(2 * m * (k - 1) + m + p)] = T(w.imag());
        }
    }
    done *= radix;
  }
}

// Transforms the kernel of a convolution and divides it by its length; computed in double for every T.
template <class T>
void transform_convolution_kernel(Plan<T>& plan, std::vector<std::complex<double>>& kernel) {
  auto* data = reinterpret_cast<double*>(kernel.data());
  fft_complex<double>({{}, data, {}, 2, data, {}, 2}, int64_t(kernel.size()), true, 1.0 / double(kernel.size()));
  for (const auto& k : kernel) push_components(plan.kernel, k);
}

// A transform of any length as a convolution (L. Bluestein, 1970): x[j] c[j], convolved with the conjugate chirp, times c[k], where c[j] =
// exp(-pi i j^2 / n).
template <class T>
void make_convolution(Plan<T>& plan) {
  const int64_t n = plan.n;
  int64_t padded = 2 * n - 1;
  while (padded % 4 != 0 || !is_smooth(padded)) ++padded;
  plan.convolution = plan_of<T>(padded, PlanKind::step);
  plan.work = plan.convolution->work;
  std::vector<std::complex<double>> chirp(size_t(n), 0.0);
  for (int64_t j = 0; j < n; ++j) chirp[size_t(j)] = root_of_unity(int64_t(__int128(j) * j % (2 * n)), 2 * n);
  for (const auto& c : chirp) push_components(plan.chirp, c);
  std::vector<std::complex<double>> kernel(size_t(padded), 0.0);
  for (int64_t j = 0; j < n; ++j) {
    kernel[size_t(j)] = std::conj(chirp[size_t(j)]);
    kernel[size_t((padded - j) % padded)] = kernel[size_t(j)];
  }
  transform_convolution_kernel(plan, kernel);
}

bool is_prime(int64_t n) {
  for (int64_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return n > 1;
}
// The numbers 1 to n - 1 for a prime n as powers of its smallest primitive root.
std::vector<int32_t> list_powers(int64_t n) {
  std::vector<int32_t> powers(size_t(n - 1));
  for (int64_t g = 2, count = 0; count < n - 1; ++g) {
    int64_t power = 1;
    count = 0;
    do powers[size_t(count++)] = int32_t(power), power = power * g % n;
    while (power != 1);
  }
  return powers;
}

// A transform of prime length as a cyclic convolution (C. Rader, 1968): x[g^q], convolved with exp(-2 pi i g^-q / n), gives X[g^-q] but for
// x[0].
template <class T>
void make_cyclic_convolution(Plan<T>& plan) {
  const int64_t n = plan.n;
  plan.convolution = plan_of<T>(n - 1, PlanKind::step);
  plan.order = list_powers(n);
  std::vector<std::complex<double>> kernel(size_t(n - 1));
  for (int64_t q = 0; q < n - 1; ++q) kernel[size_t(q)] = root_of_unity(plan.order[size_t((n - 1 - q) % (n - 1))], n);
  transform_convolution_kernel(plan, kernel);
}

template <class T>
std::shared_ptr<const Plan<T>> make_plan(int64_t n, PlanKind kind) {
  auto plan = std::make_shared<Plan<T>>();
  plan->n = plan->work = n;
  const int64_t divisor = n > max_row_length && kind != PlanKind::step ? divisor_near_root(n) : 1;
  if (divisor >= 16 && is_smooth(n)) {
    plan->columns = plan_of<T>(divisor, PlanKind::step);
    plan->rows = plan_of<T>(n / divisor, PlanKind::step);
    plan->roots = Roots(n);
  } else if (is_smooth(n)) {
    make_passes(*plan);
  } else if (n <= max_row_length && is_smooth(n - 1) && is_prime(n)) {
    make_cyclic_convolution(*plan);
  } else {
    make_convolution(*plan);
  }
  if (kind == PlanKind::real) {
    const Roots roots(2 * n);
    for (int64_t k = 0; k < n; ++k) push_components(plan->real, roots[k]);
  }
  return plan;
}

// Cache of recently used plans, one per precision. Never destroyed: transforms may run while the process ends.
template <class T>
struct Cache {
  struct Entry {
    int64_t n;
    PlanKind kind;
    std::shared_ptr<const Plan<T>> plan;
  };
  std::mutex mutex;
  std::list<Entry> entries;  // most recently used first
  int64_t bytes = 0;

  static Cache& instance() {
    static auto* cache = new Cache();
    return *cache;
  }
  std::shared_ptr<const Plan<T>> find(int64_t n, PlanKind kind) {
    std::lock_guard lock(mutex);
    for (auto entry = entries.begin(); entry != entries.end(); ++entry)
      if (entry->n == n && entry->kind == kind) {
        entries.splice(entries.begin(), entries, entry);
        return entry->plan;
      }
    return nullptr;
  }
  void add(int64_t n, PlanKind kind, const std::shared_ptr<const Plan<T>>& plan) {
    if (plan->bytes() > cache_limit / 2) return;
    std::lock_guard lock(mutex);
    entries.push_front({n, kind, plan});
    bytes += plan->bytes();
    while (bytes > cache_limit || entries.size() > max_cached_plans) {
      bytes -= entries.back().plan->bytes();
      entries.pop_back();
    }
  }
};

}  // namespace

Roots::Roots(int64_t n) : step_(n) {
  if (n > max_full_table) step_ = int64_t(std::sqrt(double(n))) + 1;
  for (int64_t k = 0; k < step_; ++k) low_.push_back(root_of_unity(k, n));
  if (step_ < n)
    for (int64_t k = 0; k < n; k += step_) high_.push_back(root_of_unity(k, n));
}

template <class T>
int64_t Plan<T>::bytes() const {
  const size_t numbers = twiddles.size() + first_twiddles.size() + chirp.size() + kernel.size() + real.size();
  return int64_t(numbers * sizeof(T) + order.size() * sizeof(int32_t) + sizeof(Plan)) + roots.bytes();
}

template <class T>
std::shared_ptr<const Plan<T>> plan_of(int64_t n, PlanKind kind) {
  Cache<T>& cache = Cache<T>::instance();
  if (auto plan = cache.find(n, kind)) return plan;
  auto plan = make_plan<T>(n, kind);
  cache.add(n, kind, plan);
  return plan;
}
template std::shared_ptr<const Plan<float>> plan_of(int64_t, PlanKind);
template std::shared_ptr<const Plan<double>> plan_of(int64_t, PlanKind);

}  // namespace mt::cpu::detail

namespace mt::cpu {

FftCacheStatistics fft_cache_statistics() {
  FftCacheStatistics sum{0, 0, 2 * detail::cache_limit};
  auto add = [&](auto& cache) {
    std::lock_guard lock(cache.mutex);
    sum.plans += int64_t(cache.entries.size());
    sum.bytes += cache.bytes;
  };
  add(detail::Cache<float>::instance());
  add(detail::Cache<double>::instance());
  return sum;
}

}  // namespace mt::cpu
