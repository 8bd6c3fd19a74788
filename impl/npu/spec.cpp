// Parses the argument specification of an aclnn operator.
#include "npu/spec.h"

#include <algorithm>

namespace mt::npu {
namespace {

// Whether the argument is a tensor option, which is not passed on: it determines the result, and the kernel receives the result itself.
bool is_option(const SpecArgument& a) {
  return a.type.starts_with("Layout") || a.type.starts_with("Device") || a.type.starts_with("MemoryFormat") || a.name == "pin_memory" ||
         (a.name == "dtype" && a.type == "ScalarType?");
}

std::string_view trim_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

using Kind = Spec::Item::Kind;
using Form = Spec::Item::Form;
using Room = Spec::Item::Room;

Form parse_form(std::string_view name) {
  return name == "float"    ? Form::single_float
         : name == "scalar" ? Form::scalar
         : name == "int32"  ? Form::int32
         : name == "t"      ? Form::transposed
                            : Form::integer;
}

Room parse_room(std::string_view name) {
  return name == "items" ? Room::items : name == "counts" ? Room::counts : name == "rows" ? Room::rows : Room::places;
}

std::vector<std::string> split_choices(std::string_view text) {
  std::vector<std::string> choices;
  while (!text.empty()) {
    const size_t bar = text.find('|');
    choices.emplace_back(text.substr(0, bar));
    text = bar == std::string_view::npos ? std::string_view() : text.substr(bar + 1);
  }
  return choices;
}

// Reads the items of a list; `spec` receives them.
struct ItemParser {
  std::string_view text;
  const std::vector<SpecArgument>& arguments;
  Spec& spec;
  int results_named = 0;

  int find_argument(std::string_view name) const {
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].name == name) return int(i);
    throw std::string("no argument ") + std::string(name) + " for " + std::string(text);
  }

  // Reads the suffixes of an item, such as "?" or ":float", and returns its name.
  std::string_view parse_suffix(std::string_view item, Spec::Item& parsed) const {
    if (const size_t mark = item.find('?'); mark != std::string_view::npos) {
      const std::string value(item.substr(mark + 1));
      parsed.for_none = value.empty() ? 0 : std::stod(value);
      item = item.substr(0, mark);
    }
    const size_t colon = item.find(':'), equals = item.find('=');
    if (colon != std::string_view::npos) {
      parsed.form = parse_form(item.substr(colon + 1));
      return item.substr(0, colon);
    }
    if (item.starts_with("out=")) {
      parsed.room = parse_room(item.substr(4));
      return "out";
    }
    if (equals != std::string_view::npos) {
      parsed.form = Form::choice;
      parsed.choices = split_choices(item.substr(equals + 1));
      item = item.substr(0, equals);
      if (const size_t bar = item.find('|'); bar != std::string_view::npos) {
        parsed.form = Form::either;
        parsed.second = find_argument(item.substr(bar + 1));
        item = item.substr(0, bar);
      }
    } else if (item.starts_with('[') && item != "[]") {
      parsed.form = Form::list;
      item = item.substr(1, item.size() - 2);
    }
    return item;
  }

  void parse_item(std::string_view item) {
    Spec::Item parsed{Kind::argument};
    item = parse_suffix(item, parsed);
    if (item == "[]") {
      parsed.kind = Kind::no_ints;
    } else if (item == "out") {
      parsed.kind = Kind::result;
      parsed.argument = results_named++;
    } else if (item.starts_with("out.")) {
      parsed.kind = Kind::result;
      parsed.argument = item[4] - '0';
      spec.numbered = true;
    } else if (item == "seed" || item == "offset") {
      parsed.kind = item == "seed" ? Kind::seed : Kind::offset;
    } else if (item[0] == '-' || (item[0] >= '0' && item[0] <= '9')) {
      parsed.kind = item.find('.') == std::string_view::npos ? Kind::constant : Kind::real;
      parsed.constant = std::stod(std::string(item));
    } else {
      parsed.argument = find_argument(item);
    }
    spec.items.push_back(parsed);
  }

  // Adds the items of a specification, which commas separate.
  void parse_items(std::string_view items) {
    while (!trim_spaces(items).empty()) {
      const size_t comma = items.find(',');
      parse_item(trim_spaces(items.substr(0, comma)));
      items = comma == std::string_view::npos ? std::string_view() : items.substr(comma + 1);
    }
  }
};

// Adds the items of an operator whose specification is only a name.
void add_schema_items(const std::vector<SpecArgument>& arguments, Spec& spec) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (is_option(arguments[i])) continue;
    if (arguments[i].type.starts_with("Generator")) {
      spec.items.push_back({Kind::seed});
      spec.items.push_back({Kind::offset});
    } else {
      spec.items.push_back({Kind::argument, int(i)});
    }
  }
}

}  // namespace

bool Spec::sized_by_device() const {
  return std::any_of(items.begin(), items.end(), [](const Item& item) { return item.room != Item::Room::exact; });
}

Spec parse_spec(std::string_view text, const std::vector<SpecArgument>& arguments, int results) {
  Spec spec;
  if (text.starts_with("each ")) {
    spec.each = true;
    text.remove_prefix(5);
  }
  const size_t open = text.find('(');
  spec.name = text.substr(0, open);
  ItemParser parser{text, arguments, spec};
  if (open == std::string_view::npos) {
    add_schema_items(arguments, spec);
  } else {
    if (text.back() != ')') throw std::string("no closing parenthesis in ") + std::string(text);
    parser.parse_items(text.substr(open + 1, text.size() - open - 2));
  }
  for (int i = parser.results_named; i < results && !spec.numbered; ++i) spec.items.push_back({Kind::result, i});
  return spec;
}

}  // namespace mt::npu
