// SHA-256 and HMAC (FIPS 180-4, RFC 2104), with which both ends of a connection prove that they know a secret.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace mt::dist {

std::array<uint8_t, 32> sha256(std::string_view data);
std::string hmac_sha256(std::string_view key, std::string_view message);
// Compares in constant time, wherever the strings differ.
bool is_same_in_constant_time(std::string_view a, std::string_view b);
// Random bytes from the system's generator.
std::string random_bytes(size_t count);

}  // namespace mt::dist
