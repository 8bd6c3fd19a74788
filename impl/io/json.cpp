// A parser of JSON by recursive descent, RFC 8259.
#include "io/json.h"

#include <charconv>
#include <unordered_set>

#include "io/source.h"

namespace mt::io {

namespace {

constexpr int deepest = 64;
constexpr int64_t most_values = 10'000'000;  // limits memory: each value takes some, however short its text is

class Parser {
 public:
  Parser(std::string_view text, const char* what) : text_(text), what_(what) {}

  Json parse() {
    Json value = parse_value(0);
    skip_space();
    if (at_ != text_.size()) refuse("something follows the value");
    return value;
  }

 private:
  [[noreturn]] void refuse(const char* why) const { fail("{}: invalid JSON at byte {}: {}", what_, uint64_t(at_), why); }

  bool done() const { return at_ == text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }
  void skip_space() {
    while (!done() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) ++at_;
  }
  bool take_if(char c) {
    skip_space();
    if (done() || peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c, const char* why) {
    if (!take_if(c)) refuse(why);
  }
  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  Json parse_value(int depth) {
    if (depth > deepest) refuse("nested too deeply");
    if (++values_ > most_values) refuse("too many values");
    skip_space();
    Json value;
    switch (peek()) {
      case '{': parse_object(value, depth); break;
      case '[': parse_array(value, depth); break;
      case '"':
        value.kind = Json::Kind::string;
        value.string = parse_string();
        break;
      default:
        value.boolean = take_word("true");
        if (value.boolean || take_word("false")) {
          value.kind = Json::Kind::boolean;
        } else if (!take_word("null")) {
          parse_number(value);
        }
    }
    return value;
  }

  void parse_array(Json& value, int depth) {
    value.kind = Json::Kind::array;
    ++at_;
    if (take_if(']')) return;
    do value.items.push_back(parse_value(depth + 1));
    while (take_if(','));
    expect(']', "expected ',' or ']'");
  }

  void parse_object(Json& value, int depth) {
    value.kind = Json::Kind::object;
    ++at_;
    if (take_if('}')) return;
    std::unordered_set<std::string> names;
    do {
      skip_space();
      if (peek() != '"') refuse("expected a name in quotes");
      std::string name = parse_string();
      if (!names.insert(name).second) fail("{}: the name \"{}\" comes twice in one object", what_, escape_for_message(name));
      expect(':', "expected ':'");
      value.members.push_back({std::move(name), parse_value(depth + 1)});
    } while (take_if(','));
    expect('}', "expected ',' or '}'");
  }

  void parse_number(Json& value) {
    const size_t start = at_;
    const auto digits = [&] {
      const size_t first = at_;
      while (peek() >= '0' && peek() <= '9') ++at_;
      if (at_ == first) refuse("expected a value");
    };
    if (peek() == '-') ++at_;
    const bool leading_zero = peek() == '0';
    const size_t first = at_;
    digits();
    if (leading_zero && at_ - first > 1) refuse("a number begins with 0");
    bool whole = true;
    if (peek() == '.') {
      whole = false;
      ++at_;
      digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      whole = false;
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      digits();
    }
    const char *begin = text_.data() + start, *end = text_.data() + at_;
    if (whole && std::from_chars(begin, end, value.integer).ec == std::errc()) {
      value.kind = Json::Kind::integer;
      value.real = double(value.integer);
      return;
    }
    value.kind = Json::Kind::real;
    if (std::from_chars(begin, end, value.real).ec != std::errc()) refuse("a number is out of range");
  }

  uint32_t parse_hex() {
    uint32_t unit = 0;
    const std::string_view digits = text_.substr(at_, 4);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
    if (digits.size() != 4 || error != std::errc() || end != digits.data() + 4) refuse("expected four hexadecimal digits");
    at_ += 4;
    return unit;
  }

  void parse_escape(std::string& out) {
    const char c = peek();
    if (!done()) ++at_;
    switch (c) {
      case '"':
      case '\\':
      case '/': out += c; return;
      case 'b': out += '\b'; return;
      case 'f': out += '\f'; return;
      case 'n': out += '\n'; return;
      case 'r': out += '\r'; return;
      case 't': out += '\t'; return;
      case 'u': break;
      default: refuse("unknown escape");
    }
    uint32_t point = parse_hex();
    if (point >= 0xd800 && point < 0xdc00 && take_word("\\u")) {
      const uint32_t low = parse_hex();
      if (low < 0xdc00 || low >= 0xe000) refuse("half of a surrogate pair");
      point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
    } else if (point >= 0xd800 && point < 0xe000) {
      refuse("half of a surrogate pair");
    }
    if (point < 0x80) {
      out += char(point);
      return;
    }
    const int extra = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static constexpr uint8_t lead[] = {0, 0xc0, 0xe0, 0xf0};
    out += char(lead[extra] | point >> (6 * extra));
    for (int i = extra - 1; i >= 0; --i) out += char(0x80 | (point >> (6 * i) & 0x3f));
  }

  std::string parse_string() {
    std::string out;
    for (++at_;;) {
      if (done()) refuse("a string does not end");
      const char c = text_[at_++];
      if (c == '"') break;
      if (uint8_t(c) < 0x20) refuse("a control character in a string");
      if (c == '\\')
        parse_escape(out);
      else
        out += c;
    }
    if (!is_utf8(out)) refuse("a string is not UTF-8");
    return out;
  }

  std::string_view text_;
  const char* what_;
  size_t at_ = 0;
  int64_t values_ = 0;
};

}  // namespace

const Json* Json::find(std::string_view name) const {
  for (const auto& [key, value] : members)
    if (key == name) return &value;
  return nullptr;
}

Json parse_json(std::string_view text, const char* what) { return Parser(text, what).parse(); }

std::string quoted_json(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (uint8_t(c) < 0x20) {
          static constexpr char digits[] = "0123456789abcdef";
          out += {'\\', 'u', '0', '0', digits[uint8_t(c) >> 4], digits[c & 15]};
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

}  // namespace mt::io
