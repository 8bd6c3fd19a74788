// Parses the allocator's settings string.
#include "npu/settings.h"

#include <cstdlib>

#include "core/error.h"

namespace mt::npu {
namespace {

constexpr int64_t mebibyte = 1 << 20, smallest_split_mb = 20;

int64_t parse_integer(const std::string& text) {
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  check(!text.empty() && !*end, ErrorKind::value, "Expected an integer in the allocator's settings, got '{}'", text);
  return value;
}

}  // namespace

AllocatorSettings parse_settings(const std::string& text) {
  AllocatorSettings settings;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find(',', at);
    if (end == std::string::npos) end = text.size();
    std::string item;
    for (char c : text.substr(at, end - at))
      if (c != ' ') item += c;
    at = end + 1;
    if (item.empty()) continue;
    const size_t colon = item.find(':');
    check(colon != std::string::npos, "Error parsing CachingAllocator settings, expected ':' in '{}'", item);
    const std::string key = item.substr(0, colon), value = item.substr(colon + 1);
    if (key == "max_split_size_mb") {
      const int64_t megabytes = parse_integer(value);
      check(megabytes >= smallest_split_mb, "CachingAllocator option max_split_size_mb too small, must be >= {}", smallest_split_mb);
      settings.max_split_size = megabytes < INT64_MAX / mebibyte ? megabytes * mebibyte : INT64_MAX;
    } else if (key == "garbage_collection_threshold") {
      char* stop = nullptr;
      const double threshold = std::strtod(value.c_str(), &stop);
      check(!value.empty() && !*stop && threshold > 0 && threshold < 1, "garbage_collection_threshold is invalid, set it in (0.0, 1.0)");
      settings.garbage_collection_threshold = threshold;
    } else if (key == "roundup_power2_divisions") {
      const int64_t divisions = parse_integer(value);
      check(divisions == 0 || (divisions & (divisions - 1)) == 0, "For roundups, the divisions has to be power of 2 ");
      settings.roundup_divisions = divisions;
    } else if (key == "backend") {
      check(value == "native", "Unknown allocator backend, options are native");
    } else if (key == "expandable_segments") {
      check(value == "False", ErrorKind::not_implemented, "expandable_segments is not supported on NPUs");
    } else {
      fail("Unrecognized CachingAllocator option: {}", key);
    }
  }
  return settings;
}

}  // namespace mt::npu
