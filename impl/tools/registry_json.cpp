// Prints the registry as JSON, one operator a line, for the generators of headers, stubs and documentation.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/exception.h"
#include "definition/definition.h"
#include "io/json.h"
#include "npu/launch.h"

namespace mt {
namespace {

using io::quoted_json;

// Writes a JSON object or list, member by member.
class Writer {
 public:
  explicit Writer(char closing) : closing_(closing), text_(1, closing == '}' ? '{' : '[') {}
  Writer& add(const std::string& item) {
    if (text_.size() > 1) text_ += ", ";
    text_ += item;
    return *this;
  }
  Writer& member(std::string_view name, const std::string& value) { return add(quoted_json(name) + ": " + value); }
  std::string done() const { return text_ + closing_; }

 private:
  char closing_;
  std::string text_;
};

template <class Range, class F>
std::string list_of(const Range& range, F item) {
  Writer list(']');
  for (const auto& each : range) list.add(item(each));
  return list.done();
}

struct Bit {
  int bit;
  const char* name;
};
constexpr Bit form_bits[] = {{MT_FORM_FUNCTION, "function"},
                             {MT_FORM_METHOD, "method"},
                             {MT_FORM_INPLACE, "inplace"},
                             {MT_FORM_OUT, "out"}};
constexpr Bit trait_bits[] = {{MT_OP_COMPOSITE, "composite"}, {MT_OP_MUTATES, "mutates"},
                              {MT_OP_IS_VIEW, "view"},        {MT_OP_RANDOM, "random"},
                              {MT_OP_IS_FACTORY, "factory"},  {MT_OP_NUMBERS_AS_TENSORS, "numbers_as_tensors"}};
template <size_t n>
std::string names_of_bits(int value, const Bit (&bits)[n]) {
  Writer list(']');
  for (const Bit& b : bits)
    if (value & b.bit) list.add(quoted_json(b.name));
  return list.done();
}

std::string split_words(std::string_view text) {
  Writer list(']');
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) list.add(quoted_json(text.substr(at, end - at)));
    at = end + 1;
  }
  return list.done();
}

std::string argument_json(const Argument& a) {
  Writer w('}');
  w.member("name", quoted_json(a.name)).member("type", quoted_json(a.type_text));
  if (a.has_default) w.member("default", quoted_json(a.default_text));
  if (a.keyword_only) w.member("keyword_only", "true");
  if (a.mutated) w.member("mutated", "true");
  return w.done();
}

// Writes how an operator is differentiated, and with respect to which arguments.
std::string gradient_json(const Operator& op) {
  const Derivative& derivative = derivative_of(op);
  Writer names(']');
  std::set<std::string_view> seen;
  for (const Formula& formula : derivative.formulas)
    for (const char* target : formula.targets)
      if (seen.insert(target).second) names.add(quoted_json(target));
  const char* kind = !seen.empty() ? "formula" : derivative.non_differentiable ? "none" : body_of(op).composite ? "steps" : "missing";
  return Writer('}').member("kind", quoted_json(kind)).member("wrt", names.done()).done();
}

// Writes which aclnn operators compute an operator on an NPU.
std::string npu_json(const Operator& op) {
  Writer names(']');
  for (int variant : {0, 1}) {
    std::string_view text;
    if (const char* given = npu::kernel_text(op, variant)) text = given;
    if (text.empty() || text == any_device) continue;
    if (text.starts_with("each ")) text.remove_prefix(5);
    names.add(quoted_json(text.substr(0, text.find('('))));
  }
  return names.done();
}

using Files = std::unordered_map<std::string, std::string>;
// Maps the name and overload of each schema in a definition to the definition's file. As in the registry, definitions are never freed.
Files files_of_definitions() {
  static const auto* definitions = [] {
    auto* made = new std::vector<OpDef>();
    for (const OpRegistration& registration : op_registrations()) made->push_back(registration.make());
    return made;
  }();
  Files files;
  for (size_t i = 0; i < definitions->size(); ++i)
    for (const std::string_view schema : (*definitions)[i].schema)
      files[std::string(schema.substr(0, schema.find('(')))] = op_registrations()[i].file;
  return files;
}

std::string operator_json(const Operator& op, const Files& files) {
  const Schema& schema = op.schema;
  const Schema& functional = op.functional->schema;
  const bool is_made_out = op.form == Form::out && op.functional != &op;
  return Writer('}')
      .member("ns", quoted_json(schema.ns))
      .member("name", quoted_json(schema.name))
      .member("overload", quoted_json(schema.overload))
      .member("base_name", quoted_json(op.base_name))
      .member("schema", quoted_json(schema.text))
      .member("file", quoted_json(files.at(functional.name + (functional.overload.empty() ? "" : "." + functional.overload))))
      .member("module", quoted_json(op.def->module.text ? op.def->module.text : ""))
      .member("forms", names_of_bits(op.forms, form_bits))
      .member("traits", names_of_bits(op.traits, trait_bits))
      .member("aliases", split_words(is_made_out ? "" : op.aliases))
      .member("args", list_of(schema.args, argument_json))
      .member("returns", list_of(schema.returns, argument_json))
      .member("gradient", gradient_json(op))
      .member("npu", npu_json(op))
      .member("doc", quoted_json(op.def->doc.text ? op.def->doc.text : ""))
      .done();
}

// Writes a file unless it has this content already, so that what is generated from it is not generated again.
void write_changed(const char* path, const std::string& content) {
  std::ifstream before(path, std::ios::binary);
  if (before && std::string(std::istreambuf_iterator<char>(before), {}) == content) return;
  std::ofstream after(path, std::ios::binary);
  after << content;
  check(bool(after.flush()), "cannot write {}", path);
}

}  // namespace
}  // namespace mt

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: mindtorch_registry FILE\n");
    return 2;
  }
  try {
    const mt::Files files = mt::files_of_definitions();
    std::string content = "[\n";
    for (const mt::Operator* op : mt::all_operators()) content += (content.size() > 2 ? ",\n" : "") + mt::operator_json(*op, files);
    mt::write_changed(argv[1], content + "\n]\n");
  } catch (const mt::Error& error) {
    std::fprintf(stderr, "mindtorch_registry: %s\n", error.what());
    return 1;
  }
}
