// The random streams have torch's bits and leave torch's state: compared with hashes that real torch 2.13 produced.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cpu/random/random.h"

namespace mt::cpu {
namespace {

uint64_t hash_bytes(const void* data, size_t bytes) {
  uint64_t value = 0xcbf29ce484222325u;
  const auto* byte = static_cast<const uint8_t*>(data);
  for (size_t i = 0; i < bytes; ++i) value = (value ^ byte[i]) * 0x100000001b3u;
  return value;
}

struct Reference {
  std::string fill, dtype;
  int64_t n = 0;
  double a = 0, b = 0;
  uint64_t values = 0, state = 0;
};

std::vector<Reference> references() {
  std::ifstream file(MINDTORCH_TEST_DATA "/random_reference.txt");
  std::vector<Reference> all;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    Reference r;
    std::istringstream fields(line);
    fields >> r.fill >> r.dtype >> r.n >> r.a >> r.b >> std::hex >> r.values >> r.state;
    all.push_back(r);
  }
  return all;
}

template <class T>
constexpr bool is_floating = std::is_floating_point_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

template <class T>
bool fill(const Reference& r, RandomEngine& engine, T* out) {
  if (r.fill == "bernoulli")
    fill_bernoulli<T>(engine, out, r.n, r.a);
  else if (r.fill == "random")
    fill_random<T>(engine, out, r.n);
  else if (r.fill == "random_range") {
    fill_random_range<T>(engine, out, r.n, static_cast<uint64_t>(r.b - r.a), static_cast<int64_t>(r.a));
  } else if (r.fill == "randperm")
    fill_randperm<T>(engine, out, r.n);
  else if constexpr (is_floating<T>) {
    if (r.fill == "uniform")
      fill_uniform<T>(engine, out, r.n, r.a, r.b);
    else if (r.fill == "normal")
      fill_normal<T>(engine, out, r.n, r.a, r.b);
    else if (r.fill == "normal_one_by_one")
      fill_normal_one_by_one<T>(engine, out, r.n, r.a, r.b);
    else if (r.fill == "cauchy")
      fill_cauchy<T>(engine, out, r.n, r.a, r.b);
    else if (r.fill == "log_normal")
      fill_log_normal<T>(engine, out, r.n, r.a, r.b);
    else if (r.fill == "exponential")
      fill_exponential<T>(engine, out, r.n, r.a);
    else if (r.fill == "geometric")
      fill_geometric<T>(engine, out, r.n, r.a);
    else if (r.fill == "bernoulli_of") {
      using P = std::conditional_t<std::is_same_v<T, double>, double, float>;
      std::vector<P> p(static_cast<size_t>(r.n));
      for (size_t i = 0; i < p.size(); ++i) p[i] = P(i % 9) / 8;
      fill_bernoulli<T, P>(engine, out, p.data(), r.n);
    } else {
      return false;
    }
  } else {
    return false;
  }
  return true;
}

template <class T>
void check(const Reference& r) {
  RandomEngine engine(20261121);
  engine.discard(3);
  std::vector<uint8_t> storage(static_cast<size_t>(r.n) * sizeof(T));
  ASSERT_TRUE(fill<T>(r, engine, reinterpret_cast<T*>(storage.data()))) << r.fill;
  uint8_t state[RandomEngine::state_bytes];
  engine.get_state(state);
  const std::string name = r.fill + " " + r.dtype + " " + std::to_string(r.n);
  EXPECT_EQ(hash_bytes(storage.data(), storage.size()), r.values) << name;
  EXPECT_EQ(hash_bytes(state, sizeof(state)), r.state) << name;
}

TEST(Random, EveryFillGivesTorchsBitsAndState) {
  const std::vector<Reference> all = references();
  ASSERT_GT(all.size(), 500u);
  for (const Reference& r : all) {
    if (r.dtype == "float") check<float>(r);
    if (r.dtype == "double") check<double>(r);
    if (r.dtype == "half") check<Half>(r);
    if (r.dtype == "bfloat16") check<BFloat16>(r);
    if (r.dtype == "int8") check<int8_t>(r);
    if (r.dtype == "int16") check<int16_t>(r);
    if (r.dtype == "int32") check<int32_t>(r);
    if (r.dtype == "int64") check<int64_t>(r);
    if (r.dtype == "uint8") check<uint8_t>(r);
    if (r.dtype == "bool") check<bool>(r);
  }
}

TEST(Random, TheEngineIsMt19937) {
  RandomEngine engine(5489);  // the reference implementation's default seed; its 10,000th output is in the C++ standard
  engine.discard(9999);
  EXPECT_EQ(engine.next32(), 4123659995u);
}

TEST(Random, AStateTakenInTheMiddleContinuesTheSameStream) {
  RandomEngine engine(3);
  engine.discard(1000);
  engine.next_normal();  // caches a normal number
  uint8_t state[RandomEngine::state_bytes];
  engine.get_state(state);
  RandomEngine other(99);
  ASSERT_TRUE(other.set_state(state, sizeof(state)));
  EXPECT_EQ(other.seed(), 3u);
  EXPECT_EQ(other.next_normal(), engine.next_normal());
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(other.next32(), engine.next32());
}

TEST(Random, AStateOfTheWrongSizeOrContentIsRejected) {
  RandomEngine engine(3);
  uint8_t state[RandomEngine::state_bytes];
  engine.get_state(state);
  EXPECT_FALSE(engine.set_state(state, sizeof(state) - 1));
  std::memset(state + 8, 0, 8);  // "left" and "seeded"
  EXPECT_FALSE(engine.set_state(state, sizeof(state)));
}

}  // namespace
}  // namespace mt::cpu
