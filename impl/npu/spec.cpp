// Parses the argument specification of an aclnn operator.
#include "npu/spec.h"

#include <algorithm>

namespace mt::npu {
namespace {

// Tensor options determine the result, which the kernel receives.
bool is_option(const SpecArgument& a) {
  return a.type.starts_with("Layout") || a.type.starts_with("Device") || a.type.starts_with("MemoryFormat") || a.name == "pin_memory" ||
         (a.name == "dtype" && a.type == "ScalarType?");
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

bool Spec::sized_by_device() const {
  return std::any_of(items.begin(), items.end(), [](const Item& item) { return item.room != Item::Room::exact; });
}

Spec parse_spec(std::string_view text, const std::vector<SpecArgument>& arguments, int results) {
  using Kind = Spec::Item::Kind;
  using Form = Spec::Item::Form;
  Spec spec;
  if (text.starts_with("each ")) {
    spec.each = true;
    text.remove_prefix(5);
  }
  const size_t open = text.find('(');
  spec.name = text.substr(0, open);
  int results_named = 0;
  if (open == std::string_view::npos) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (is_option(arguments[i])) continue;
      if (arguments[i].type.starts_with("Generator")) {
        spec.items.push_back({Kind::seed});
        spec.items.push_back({Kind::offset});
      } else {
        spec.items.push_back({Kind::argument, int(i)});
      }
    }
  } else {
    if (text.back() != ')') throw std::string("no closing parenthesis in ") + std::string(text);
    std::string_view list = text.substr(open + 1, text.size() - open - 2);
    while (!trim(list).empty()) {
      const size_t comma = list.find(',');
      std::string_view item = trim(list.substr(0, comma));
      list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
      Spec::Item parsed{Kind::argument};
      auto place_of = [&](std::string_view name) {
        for (size_t i = 0; i < arguments.size(); ++i)
          if (arguments[i].name == name) return int(i);
        throw std::string("no argument ") + std::string(name) + " for " + std::string(text);
      };
      if (const size_t mark = item.find('?'); mark != std::string_view::npos) {
        const std::string value(item.substr(mark + 1));
        parsed.for_none = value.empty() ? 0 : std::stod(value);
        item = item.substr(0, mark);
      }
      const size_t colon = item.find(':'), equals = item.find('=');
      if (colon != std::string_view::npos) {
        const std::string_view form = item.substr(colon + 1);
        parsed.form = form == "float"    ? Form::single_float
                      : form == "scalar" ? Form::scalar
                      : form == "int32"  ? Form::int32
                      : form == "t"      ? Form::transposed
                                         : Form::integer;
        item = item.substr(0, colon);
      } else if (item.starts_with("out=")) {
        using Room = Spec::Item::Room;
        const std::string_view room = item.substr(4);
        parsed.room = room == "items" ? Room::items : room == "counts" ? Room::counts : room == "rows" ? Room::rows : Room::places;
        item = "out";
      } else if (equals != std::string_view::npos) {
        parsed.form = Form::choice;
        for (std::string_view rest = item.substr(equals + 1); !rest.empty();) {
          const size_t bar = rest.find('|');
          parsed.choices.emplace_back(rest.substr(0, bar));
          rest = bar == std::string_view::npos ? std::string_view() : rest.substr(bar + 1);
        }
        item = item.substr(0, equals);
        if (const size_t bar = item.find('|'); bar != std::string_view::npos) {
          parsed.form = Form::either;
          parsed.second = place_of(item.substr(bar + 1));
          item = item.substr(0, bar);
        }
      } else if (item.starts_with('[') && item != "[]") {
        parsed.form = Form::list;
        item = item.substr(1, item.size() - 2);
      }
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
        parsed.argument = place_of(item);
      }
      spec.items.push_back(parsed);
    }
  }
  for (int i = results_named; i < results && !spec.numbered; ++i) spec.items.push_back({Kind::result, i});
  return spec;
}

}  // namespace mt::npu
