// JSON as in headers and indexes of data files: parsed into a tree, with limits on depth and on numbers.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mt::io {

struct JsonMember;

struct Json {
  enum class Kind : uint8_t { null, boolean, integer, real, string, array, object } kind = Kind::null;
  bool boolean = false;
  int64_t integer = 0;
  double real = 0;
  std::string string;
  std::vector<Json> items;                            // of an array
  std::vector<JsonMember> members;  // of an object, in the file's order; each name once

  bool is(Kind k) const { return kind == k; }
  // Returns the member of an object with this name, or nullptr.
  const Json* find(std::string_view name) const;
};

struct JsonMember {
  std::string name;
  Json value;
};

// Parses a JSON text. RuntimeError with the position of the error; its message begins with `what`, the name of the text. Names of an object
// must differ.
Json parse_json(std::string_view text, const char* what);
// Escapes a string as JSON requires, without adding quotes.
std::string quoted_json(std::string_view text);

}  // namespace mt::io
