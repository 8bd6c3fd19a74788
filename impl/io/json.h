// JSON as headers and indexes of data files use it: read whole into a tree, with bounds on depth and on what numbers may be.
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
  // The member of an object with a name, or nullptr.
  const Json* find(std::string_view name) const;
};

struct JsonMember {
  std::string name;
  Json value;
};

// RuntimeError with the place of what is wrong; `what` says in front what the text is. Names of an object must differ.
Json parse_json(std::string_view text, const char* what);
// The text between quotes, escaped as JSON wants it.
std::string quoted_json(std::string_view text);

}  // namespace mt::io
