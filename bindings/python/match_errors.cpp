// "received an invalid combination of arguments": reproduces the texts of torch's second error printer, with its quirks.
#include <unordered_map>

#include "signature.h"

namespace mt::py {
namespace {

// torch's texts depend on the iteration order of this map.
using NamedArguments = std::unordered_map<std::string, PyObject*>;

std::string type_name(PyObject* o) { return Py_TYPE(o)->tp_name; }

// "list of [int, str]", "tuple of (int,)"
std::string describe_type(PyObject* o) {
  if (!PyTuple_Check(o) && !PyList_Check(o)) return type_name(o);
  bool is_tuple = PyTuple_Check(o);
  std::string text = type_name(o) + (is_tuple ? " of (" : " of [");
  Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  for (Py_ssize_t i = 0; i < n; ++i) {
    text += type_name(PySequence_Fast_GET_ITEM(o, i));
    if (i + 1 < n) text += ", ";
    if (is_tuple && n == 1) text += ",";
  }
  return text + (is_tuple ? ")" : "]");
}

struct PrintedParameter {
  std::string type, name;
};
// Splits a printed signature at ", ": each piece is its last word and what precedes it. If there is a default, the last word is the
// default's.
std::vector<PrintedParameter> split_printed_signature(const std::string& text) {
  std::vector<PrintedParameter> tokens;
  std::string body = text.substr(1, text.size() - 2);
  size_t start = 0;
  while (true) {
    auto comma = body.find(", ", start);
    std::string piece = body.substr(start, comma == std::string::npos ? comma : comma - start);
    auto space = piece.rfind(' ');
    tokens.push_back({piece.substr(0, space), space == std::string::npos ? piece : piece.substr(space + 1)});
    if (comma == std::string::npos) return tokens;
    start = comma + 2;
  }
}

bool has_type_named(const std::string& type, PyObject* value) {
  std::string name = type_name(value);
  return type == name || (type == "float" && name == "int");
}

// Joins pieces as torch does: without positional arguments each is followed by a comma.
std::string join_argument_texts(const std::vector<std::string>& pieces, bool has_positional) {
  std::string text;
  for (size_t i = 0; i < pieces.size(); ++i) {
    text += pieces[i];
    if (!has_positional || i + 1 < pieces.size()) text += ", ";
  }
  return text;
}

std::string describe_argument_types(const Arguments& given, const NamedArguments& named) {
  std::vector<std::string> pieces;
  for (Py_ssize_t i = 0; i < given.n; ++i) pieces.push_back(type_name(given.values[i]));
  for (auto& [name, value] : named) pieces.push_back(name + "=" + type_name(value));
  return "(" + join_argument_texts(pieces, given.n > 0) + ")";
}

std::string mark_mismatched_types(const std::vector<PrintedParameter>& tokens, const Arguments& given, const NamedArguments& named) {
  auto mark_unless_ok = [](const std::string& piece, bool ok) { return ok ? piece : "!" + piece + "!"; };
  std::vector<std::string> pieces;
  for (Py_ssize_t i = 0; i < given.n; ++i) {
    PyObject* value = given.values[i];
    pieces.push_back(mark_unless_ok(describe_type(value), has_type_named(tokens[static_cast<size_t>(i)].type, value)));
  }
  for (auto& token : tokens) {
    auto found = named.find(token.name);
    if (found == named.end()) continue;
    pieces.push_back(mark_unless_ok(token.name + "=" + describe_type(found->second), has_type_named(token.type, found->second)));
  }
  return "(" + join_argument_texts(pieces, given.n > 0) + ")";
}

std::string list_unknown_keywords(const std::vector<PrintedParameter>& tokens, Py_ssize_t n, const NamedArguments& named) {
  std::string text;
  for (auto& [name, value] : named) {
    bool known = false;
    for (size_t i = static_cast<size_t>(n); i < tokens.size(); ++i) known |= tokens[i].name == name;
    if (!known) text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace

void raise_no_match(const Overloads& overloads, const Arguments& given) {
  NamedArguments named;
  for (Py_ssize_t i = 0; i < given.n_named(); ++i) {
    named.emplace(PyUnicode_AsUTF8(PyTuple_GET_ITEM(given.names, i)), given.values[given.n + i]);
  }
  std::vector<std::string> options;
  for (auto& s : overloads.signatures) {
    if (!s.deprecated) options.push_back(s.text());
  }
  size_t n_given = static_cast<size_t>(given.n) + named.size();
  std::string text = overloads.name + "() received an invalid combination of arguments - ";
  if (options.size() == 1) {
    auto tokens = split_printed_signature(options[0]);
    std::string unknown = list_unknown_keywords(tokens, given.n, named);
    if (!unknown.empty()) raise_text(PyExc_TypeError, text + "got unrecognized keyword arguments: " + unknown);
    text += "got " + (tokens.size() == n_given ? mark_mismatched_types(tokens, given, named) : describe_argument_types(given, named));
    raise_text(PyExc_TypeError, text + ", but expected " + options[0]);
  }
  text += "got " + describe_argument_types(given, named) + ", but expected one of:\n";
  for (auto& option : options) {
    auto tokens = split_printed_signature(option);
    text += " * " + option + "\n";
    if (tokens.size() != n_given) continue;
    std::string unknown = list_unknown_keywords(tokens, given.n, named);
    text += unknown.empty()
                ? "      didn't match because some of the arguments have invalid types: " + mark_mismatched_types(tokens, given, named)
                : "      didn't match because some of the keywords were incorrect: " + unknown;
    text += "\n";
  }
  raise_text(PyExc_TypeError, text);
}

}  // namespace mt::py
