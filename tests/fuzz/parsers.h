// The parsers of files that strangers may have written, each as a function of bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace mt::fuzz {

using Bytes = std::span<const uint8_t>;

struct Parser {
  std::string_view name;
  // Reads all that is there. Bytes that are not what they should be end in an mt::Error, which the function takes for an answer.
  void (*run)(Bytes);
};
std::span<const Parser> parsers();

}  // namespace mt::fuzz
