// TemporaryVariable sets an environment variable while a library loads; meanwhile other threads may read the environment.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "core/environment.h"

namespace mt {
namespace {

constexpr char name[] = "MINDTORCH_TEST_TEMPORARY";
constexpr char assignment[] = "MINDTORCH_TEST_TEMPORARY=1";

std::vector<std::string> all() {
  std::vector<std::string> found;
  for (char** entry = environ; *entry; ++entry) found.emplace_back(*entry);
  return found;
}

TEST(TemporaryVariable, IsVisibleWhileItExists) {
  const std::vector<std::string> before = all();
  {
    const TemporaryVariable variable(assignment);
    ASSERT_NE(std::getenv(name), nullptr);
    EXPECT_STREQ(std::getenv(name), "1");
    EXPECT_EQ(all().size(), before.size() + 1);
  }
  EXPECT_EQ(std::getenv(name), nullptr);
  EXPECT_EQ(all(), before);
}

TEST(TemporaryVariable, KeepsWhatIsSetMeanwhile) {
  {
    const TemporaryVariable variable(assignment);
    ASSERT_EQ(setenv("MINDTORCH_TEST_OTHER", "2", 1), 0);
  }
  EXPECT_EQ(std::getenv(name), nullptr);
  EXPECT_STREQ(std::getenv("MINDTORCH_TEST_OTHER"), "2");
  ASSERT_EQ(unsetenv("MINDTORCH_TEST_OTHER"), 0);
}

// AddressSanitizer would report a reader of an environment list that TemporaryVariable has freed.
TEST(TemporaryVariable, OtherThreadsReadTheEnvironmentMeanwhile) {
  ASSERT_EQ(setenv("MINDTORCH_TEST_LAST", "kept", 1), 0);
  std::atomic<bool> ended{false};
  std::atomic<int> lost{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!ended.load()) {
        const char* found = std::getenv("MINDTORCH_TEST_LAST");
        if (!found || std::strcmp(found, "kept") != 0) lost.fetch_add(1);
      }
    });
  }
  for (int i = 0; i < 2000; ++i) const TemporaryVariable variable(assignment);
  ended = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(lost.load(), 0);
  ASSERT_EQ(unsetenv("MINDTORCH_TEST_LAST"), 0);
}

}  // namespace
}  // namespace mt
