// The parsers of untrusted files, each as a function of bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace mt::fuzz {

using Bytes = std::span<const uint8_t>;

struct Parser {
  std::string_view name;
  // Reads everything. Invalid bytes raise an mt::Error, which the function catches.
  void (*run)(Bytes);
};
std::span<const Parser> parsers();

}  // namespace mt::fuzz
