// The fuzzers' corpus, tests/fuzz/corpus: each file, complete, truncated and with changed bytes, is read or refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "../fuzz/parsers.h"

namespace {

std::string read_content(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

mt::fuzz::Bytes bytes_of(const std::string& text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }

class Corpus : public testing::TestWithParam<mt::fuzz::Parser> {};

TEST_P(Corpus, IsReadOrRefused) {
  const std::filesystem::path folder = std::filesystem::path(MINDTORCH_FUZZ_CORPUS) / GetParam().name;
  std::mt19937 random(1);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string whole = read_content(entry.path());
    GetParam().run(bytes_of(whole));
    for (size_t length = 0; length < whole.size(); length += 1 + whole.size() / 100) {
      const std::string cut = whole.substr(0, length);  // exact allocation, so that a sanitizer detects reads past the end
      GetParam().run(bytes_of(cut));
    }
    for (int round = 0; round < 200; ++round) {
      std::string changed = whole;
      for (int edits = int(random() % 4); edits >= 0 && !changed.empty(); --edits) changed[random() % changed.size()] = char(random());
      GetParam().run(bytes_of(changed));
    }
    ++files;
  }
  EXPECT_GT(files, 0);
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Corpus, testing::ValuesIn(mt::fuzz::parsers().begin(), mt::fuzz::parsers().end()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
