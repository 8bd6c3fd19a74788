// Parser of operator schemas: "aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor".
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

#include "core/device_text.h"
#include "dispatch/operator.h"

namespace mt {
namespace {

struct TypeName {
  const char* text;
  ArgType one, many;
};
constexpr TypeName type_names[] = {
    {"Tensor", ArgType::tensor, ArgType::tensors},  {"Scalar", ArgType::scalar, ArgType::scalars},
    {"SymInt", ArgType::integer, ArgType::ints},    {"int", ArgType::integer, ArgType::ints},
    {"float", ArgType::real, ArgType::reals},       {"bool", ArgType::boolean, ArgType::bools},
    {"str", ArgType::string, ArgType::strings},     {"ScalarType", ArgType::dtype, ArgType::any},
    {"Layout", ArgType::layout, ArgType::any},      {"MemoryFormat", ArgType::memory_format, ArgType::any},
    {"Device", ArgType::device, ArgType::any},      {"Generator", ArgType::generator, ArgType::any},
    {"Storage", ArgType::storage, ArgType::any},    {"Stream", ArgType::stream, ArgType::any},
    {"Dimname", ArgType::string, ArgType::strings}, {"Any", ArgType::any, ArgType::any},
};

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Schema parse_schema_text() {
    Schema s;
    s.name = read_identifier();
    if (text_.compare(at_, 2, "::") == 0) {
      at_ += 2, shown_ = at_;
      s.ns = std::move(s.name);
      s.name = read_identifier();
    } else {
      s.ns = "aten";
    }
    if (accept_char('.')) s.overload = read_identifier();
    skip_space();
    check(at_ < text_.size(), "Tried to parse a function schema but only the operator name was given");
    expect_char('(');
    bool keyword_only = false;
    if (!accept_char(')')) {
      do {
        skip_space();
        if (text_.compare(at_, 2, "**") != 0 && accept_char('*')) {
          keyword_only = true;
          continue;
        }
        Argument a = read_argument(true);
        a.keyword_only = keyword_only;
        s.args.push_back(std::move(a));
      } while (accept_char(','));
      expect_char(')');
    }
    skip_space();
    if (text_.compare(at_, 2, "->") != 0) error("arrow");
    at_ += 2;
    if (accept_char('(')) {
      if (!accept_char(')')) {
        do s.returns.push_back(read_argument(false));
        while (accept_char(','));
        expect_char(')');
      }
    } else {
      s.returns.push_back(read_argument(false));
    }
    skip_space();
    if (at_ != text_.size()) error("eof");
    for (const Argument& a : s.args) s.mutates |= a.mutated;
    for (const Argument& r : s.returns) s.is_view |= r.alias_set && !r.mutated;
    s.text = schema_text(s);
    return s;
  }

 private:
  static bool is_word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
  // The schema with `length` characters at the current position underlined.
  std::string underline_at_position(size_t length) {
    const size_t line_end = std::min(text_.find('\n', at_), text_.size()), before = at_ ? text_.rfind('\n', at_ - 1) : std::string::npos;
    const size_t column = before == std::string::npos ? at_ - shown_ : at_ - before - 1;
    return text_.substr(shown_, line_end - shown_) + '\n' + std::string(column, ' ') + std::string(length, '~') + " <--- HERE\n" +
           (line_end < text_.size() ? text_.substr(line_end + 1) + '\n' : "");
  }
  // Raises an error about the token at the current position, with the message of torch's lexer.
  [[noreturn]] void error(const char* expected) {
    const size_t gap = at_;
    skip_space();
    if (at_ >= text_.size()) fail("expected {} but found 'eof' here:\n{}", expected, text_.substr(shown_));
    const char c = text_[at_];
    size_t length = 1;
    auto extend = [&](auto belongs) {
      while (at_ + length < text_.size() && belongs(text_[at_ + length])) ++length;
    };
    std::string found(1, c);
    if (is_word_start(c)) {
      extend([](char d) { return std::isalnum(static_cast<unsigned char>(d)) || d == '_'; });
      found = "ident";
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      extend([](char d) { return std::isdigit(static_cast<unsigned char>(d)) || d == '.'; });
      found = "number";
    } else if (text_.compare(at_, 2, "->") == 0 || text_.compare(at_, 2, "**") == 0) {
      found = c == '-' ? "arrow" : "pow operator", length = 2;
    } else if (!std::strchr("()[]{},.:*=!?|-+/<>@&^%~", c)) {
      expected = "a valid token", found = text_[gap];
    }
    fail("expected {} but found '{}' here:\n{}", expected, found, underline_at_position(length));
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool accept_char(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect_char(char c) {
    const char text[] = {c, 0};
    if (!accept_char(c)) error(text);
  }
  std::string read_identifier() {
    skip_space();
    size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    if (start == at_ || !is_word_start(text_[start])) at_ = start, error("ident");
    return text_.substr(start, at_ - start);
  }

  // Reads alias sets, "a", "a|b" or "*", and returns the number of the first one.
  int8_t read_alias_sets() {
    int8_t first = 0;
    do {
      const int8_t one = accept_char('*') ? int8_t(1) : int8_t(read_identifier()[0] - 'a' + 1);
      if (!first) first = one;
    } while (accept_char('|'));
    return first;
  }

  Argument read_argument(bool named) {
    Argument a;
    skip_space();
    size_t start = at_;
    std::string base = read_identifier();
    const TypeName* type = nullptr;
    for (const TypeName& t : type_names)
      if (base == t.text) type = &t;
    if (!type) {
      at_ = start;
      if (base == "int64_t")
        fail(
            "\nUse `SymInt` or `int` instead of `int64_t` in an operator's schema string. `SymInt` corresponds to c10::SymInt in C++ "
            "while `int` in schema corresponds to the int64_t type in C++.:\n{}",
            underline_at_position(base.size()));
      if (base == "double")
        fail(
            "\nUse `float` instead of `double` in an operator's schema string. `float` in schema corresponds to the double type in C++:\n{}",
            underline_at_position(base.size()));
      fail(
          "\nunknown type specifier. Common valid schema types include Tensor, SymInt, int, float, bool, Scalar; for a full list, please "
          "see "
          "https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/README.md#func :\n{}",
          underline_at_position(base.size()));
    }
    a.type = type->one;
    a.type_text = base;
    parse_alias_marks(a);
    if (accept_char('?')) a.type_text += '?', a.optional = true;
    if (accept_char('[')) parse_list_type(*type, a);
    skip_space();
    if (named || (at_ < text_.size() && (std::isalpha(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')))
      a.name = read_identifier();
    if (named && accept_char('=')) {
      a.default_text = read_default_text();
      a.has_default = true;
      parse_default(a);
    }
    return a;
  }

  // Reads an alias annotation: (a), (a!), (a -> *), (a|b). "Tensor!" is a separate alias set.
  void parse_alias_marks(Argument& a) {
    if (accept_char('(')) {
      a.alias_set = read_alias_sets();
      if (accept_char('!')) a.mutated = true;
      skip_space();
      if (text_.compare(at_, 2, "->") == 0) at_ += 2, read_alias_sets();
      expect_char(')');
    } else if (accept_char('!')) {
      a.alias_set = int8_t(-++unnamed_marks_);
      a.mutated = true;
    }
  }

  // Reads what follows the opening bracket in a type like "int[2]?".
  void parse_list_type(const TypeName& type, Argument& a) {
    bool optional_items = a.optional;
    a.optional = false;
    a.type = optional_items && a.type == ArgType::tensor ? ArgType::optional_tensors : type.many;
    a.type_text += '[';
    skip_space();
    std::string n;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) n += text_[at_++];
    if (n.empty() && at_ < text_.size() && text_[at_] != ']') error("number");
    a.list_size = std::atoi(n.c_str());
    a.type_text += n;
    expect_char(']');
    a.type_text += ']';
    if (accept_char('?')) a.type_text += '?', a.optional = true;
  }

  // The text up to the comma or parenthesis that ends an argument.
  std::string read_default_text() {
    skip_space();
    size_t from = at_;
    int depth = 0;
    bool quoted = false;
    for (; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (c == '"' || c == '\'') quoted = !quoted;
      if (quoted) continue;
      if (c == '[') ++depth;
      if (c == ']') --depth;
      if ((c == ',' || c == ')') && depth <= 0) break;
    }
    std::string text = text_.substr(from, at_ - from);
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
  }

  static double parse_number(const std::string& t) {
    if (t == "inf") return std::numeric_limits<double>::infinity();
    if (t == "-inf") return -std::numeric_limits<double>::infinity();
    return std::strtod(t.c_str(), nullptr);
  }
  static bool looks_real(const std::string& t) { return t.find_first_of(".e") != std::string::npos || t.find("inf") != std::string::npos; }

  static int64_t parse_integer(const std::string& t) { return std::strtoll(t.c_str(), nullptr, 10); }

  static Value parse_scalar_default(const std::string& t) {
    if (t == "True" || t == "False") return box(t == "True");
    return looks_real(t) ? box(parse_number(t)) : box(parse_integer(t));
  }
  static MemoryFormat parse_format_default(const std::string& t) {
    return t == "preserve_format" ? MemoryFormat::preserve : t == "channels_last" ? MemoryFormat::channels_last : MemoryFormat::contiguous;
  }
  // Reads a dtype by its name ("int64") or by its name in C++ ("long").
  Dtype parse_dtype_default(const std::string& t) {
    auto is_same_letter = [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); };
    for (int32_t i = 0; i < int32_t(std::size(element_sizes.of)); ++i) {
      if (!is_known_dtype(i)) continue;
      if (t == name_of(Dtype(i)) || std::ranges::equal(t, std::string_view(cpp_name_of(Dtype(i))), is_same_letter)) return Dtype(i);
    }
    fail("\ninvalid numeric default value:\n{}", underline_at_position(1));
  }

  // Reads the default of a list: "[0, 1]", or one number for all items.
  static void parse_list_default(Argument& a) {
    const std::string& t = a.default_text;
    std::string inner = t[0] == '[' ? t.substr(1, t.size() - 2) : t;
    size_t from = 0;
    while (from < inner.size()) {
      size_t comma = inner.find(',', from);
      std::string item = inner.substr(from, comma == std::string::npos ? comma : comma - from);
      if (a.type == ArgType::reals)
        a.default_reals.push_back(parse_number(item));
      else
        a.default_ints.push_back(item.find("True") != std::string::npos ? 1 : parse_integer(item));
      if (comma == std::string::npos) break;
      from = comma + 1;
    }
    if (t[0] != '[' && a.default_ints.size() == 1) a.default_ints.resize(size_t(a.list_size), a.default_ints[0]);
  }

  static bool is_number_keyword(const std::string& t) { return t == "None" || t == "True" || t == "False" || t == "Mean" || t == "inf"; }

  void parse_default(Argument& a) {
    const std::string& t = a.default_text;
    const bool is_number = a.type == ArgType::integer || a.type == ArgType::real || a.type == ArgType::scalar || a.type == ArgType::boolean;
    if (t.empty()) error(is_number ? "number" : "None");
    if (is_number && is_word_start(t[0]) && !is_number_keyword(t)) fail("\ninvalid numeric default value:\n{}", underline_at_position(1));
    Value& v = a.default_value;
    if (t == "None") {
      v = none_value();
      return;
    }
    switch (a.type) {
      case ArgType::boolean: v = box(t == "True"); return;
      case ArgType::integer: v = box(t == "Mean" ? int64_t(1) : parse_integer(t)); return;
      case ArgType::real: v = box(parse_number(t)); return;
      case ArgType::scalar: v = parse_scalar_default(t); return;
      case ArgType::string: return;  // boxed on use: the text moves with the argument
      case ArgType::memory_format: v = box(parse_format_default(t)); return;
      case ArgType::dtype: v = box(parse_dtype_default(t)); return;
      case ArgType::layout: v = box(Layout::strided); return;
      case ArgType::device:
        std::erase(a.default_text, '"');
        v = box(parse_device(t.c_str()));
        return;
      case ArgType::ints:
      case ArgType::bools:
      case ArgType::reals: parse_list_default(a); return;
      default: at_ -= t.size(), error("None");
    }
  }

  const std::string& text_;
  int unnamed_marks_ = 0;
  size_t at_ = 0, shown_ = 0;  // error messages omit the namespace
};

std::string alias_name(int alias_set) {
  return alias_set < 0 ? '$' + std::to_string(-alias_set - 1) : std::string(1, char('a' + alias_set - 1));
}

void append_argument(std::string& out, const Argument& a) {
  std::string type = a.type_text;
  if (a.alias_set) {
    std::string mark = '(' + alias_name(a.alias_set) + (a.mutated ? "!" : "") + (a.alias_set < 0 ? " -> )" : ")");
    type.insert(std::min(type.find_first_of("[?"), type.size()), mark);
  }
  out += type;
  if (!a.name.empty()) out += ' ' + a.name;
  if (a.has_default) out += '=' + a.default_text;
}

}  // namespace

int Schema::index_of(const char* arg_name) const {
  for (size_t i = 0; i < args.size(); ++i)
    if (args[i].name == arg_name) return int(i);
  return -1;
}

Schema parse_schema(const std::string& text) { return Parser(text).parse_schema_text(); }

std::string schema_text(const Schema& s) {
  std::string out = s.ns + "::" + s.name;
  if (!s.overload.empty()) out += '.' + s.overload;
  out += '(';
  bool star = false;
  for (size_t i = 0; i < s.args.size(); ++i) {
    if (i) out += ", ";
    if (s.args[i].keyword_only && !star) {
      out += "*, ";
      star = true;
    }
    append_argument(out, s.args[i]);
  }
  out += ") -> ";
  if (s.returns.size() != 1) out += '(';
  for (size_t i = 0; i < s.returns.size(); ++i) {
    if (i) out += ", ";
    append_argument(out, s.returns[i]);
  }
  if (s.returns.size() != 1) out += ')';
  return out;
}

}  // namespace mt
