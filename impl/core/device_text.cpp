// Device names and their numbers.
#include "core/device_text.h"

#include <cstring>
#include <string>

#include "core/exception.h"
#include "core/messages.h"

namespace mt {
namespace {

// The device types that torch's parser accepts, with their numbers.
struct DeviceName {
  const char* name;
  int32_t type;
};
constexpr DeviceName device_names[] = {
    {"cpu", 0},   {"cuda", 1}, {"ipu", 18},  {"xpu", 12},           {"mkldnn", 2}, {"opengl", 3}, {"opencl", 4},  {"ideep", 5},
    {"hip", 6},   {"ve", 16},  {"fpga", 7},  {"maia", 8},           {"xla", 9},    {"lazy", 17},  {"vulkan", 10}, {"mps", 13},
    {"meta", 14}, {"hpu", 15}, {"mtia", 19}, {"privateuseone", 20}, {"npu", 20},
};

}  // namespace

Device parse_device(const char* text) {
  const size_t length = std::strlen(text);
  check(length > 0, "Device string must not be empty");
  const char* colon = std::strchr(text, ':');
  const size_t name_length = colon ? size_t(colon - text) : length;
  int32_t type = -1;
  for (const DeviceName& known : device_names)
    if (std::strlen(known.name) == name_length && std::memcmp(known.name, text, name_length) == 0) type = known.type;
  // A device type with a character other than letters, digits and underscores makes the whole string invalid.
  bool is_word = name_length > 0;
  for (size_t i = 0; i < name_length; ++i) {
    const char c = text[i];
    is_word &= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }
  check(is_word, messages::invalid_device_string, text);
  int64_t index = -1;
  if (colon) {
    const char* digits = colon + 1;
    const size_t count = std::strlen(digits);
    bool valid = count > 0 && std::strspn(digits, "0123456789") == count && (digits[0] != '0' || count == 1);
    check(valid, messages::invalid_device_string, text);
    index = 0;
    for (size_t i = 0; i < count && index <= INT32_MAX; ++i) index = index * 10 + (digits[i] - '0');
    check(index <= INT32_MAX, "Could not parse device index '{}' in device string '{}'", digits, text);
    index = int8_t(index);  // torch keeps eight bits
  }
  check(type >= 0,
        "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, "
        "mtia, privateuseone device type at start of device string: {}",
        std::string(text, name_length));
  return {DeviceType(type), int8_t(index)};
}

}  // namespace mt
