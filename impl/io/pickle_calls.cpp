// The functions that a restricted pickle may call, as in torch's allow-list, and the errors for others.
#include "io/pickle_calls.h"

#include <map>

#include "core/exception.h"
#include "io/pickle_format.h"

namespace mt::io {

namespace {

using Kind = Item::Kind;

// Classes and functions that torch.load(weights_only=True) allows.
const std::set<std::string, std::less<>>& known_calls() {
  static const std::set<std::string, std::less<>> names = {"_codecs.encode",
                                                           "builtins.bytearray",
                                                           "builtins.complex",
                                                           "builtins.set",
                                                           "collections.Counter",
                                                           "collections.OrderedDict",
                                                           "torch.Size",
                                                           "torch.Tensor",
                                                           "torch.device",
                                                           "torch.nn.parameter.Parameter",
                                                           "torch.serialization._get_layout",
                                                           "torch.storage.TypedStorage",
                                                           "torch.storage.UntypedStorage",
                                                           "torch._tensor._rebuild_from_type_v2",
                                                           "torch._utils._rebuild_device_tensor_from_cpu_tensor",
                                                           "torch._utils._rebuild_device_tensor_from_numpy",
                                                           "torch._utils._rebuild_meta_tensor_no_storage",
                                                           "torch._utils._rebuild_nested_tensor",
                                                           "torch._utils._rebuild_parameter",
                                                           "torch._utils._rebuild_parameter_with_state",
                                                           "torch._utils._rebuild_qtensor",
                                                           "torch._utils._rebuild_sparse_tensor",
                                                           "torch._utils._rebuild_tensor",
                                                           "torch._utils._rebuild_tensor_v2",
                                                           "torch._utils._rebuild_tensor_v3",
                                                           "torch._utils._rebuild_wrapper_subclass"};
  return names;
}

const std::map<std::string, Dtype, std::less<>>& dtypes_by_name() {
  static const auto* names = [] {
    auto* all = new std::map<std::string, Dtype, std::less<>>();
    for (int number = 0; number < 64; ++number)
      if (is_known_dtype(number)) all->emplace(std::string("torch.") + mt::name_of(Dtype(number)), Dtype(number));
    return all;
  }();
  return *names;
}

const std::map<std::string, Dtype, std::less<>>& storages_by_name() {
  static const auto* names = [] {
    auto* all = new std::map<std::string, Dtype, std::less<>>{{"torch.UntypedStorage", Dtype::uint8},
                                                              {"torch.storage.UntypedStorage", Dtype::uint8}};
    for (const StorageClass& known : storage_classes) all->emplace(std::string("torch.") + known.name, known.dtype);
    return all;
  }();
  return *names;
}

// Limits of items and of copied bytes for a pickle: a few megabytes could otherwise expand beyond the memory.
constexpr size_t most_items = 20'000'000, most_copied = size_t(1) << 26;

constexpr std::string_view blocked_modules[] = {"sys", "os", "posix", "nt"};

// Maps names of Python 2's modules, which pickles of protocol 2 still contain, to those of Python 3.
std::pair<std::string, std::string> rename_from_python_2(std::string_view module, std::string_view name) {
  if (module == "__builtin__") {
    static const std::map<std::string_view, std::pair<const char*, const char*>> moved = {
        {"xrange", {"builtins", "range"}}, {"reduce", {"functools", "reduce"}}, {"intern", {"sys", "intern"}},
        {"unichr", {"builtins", "chr"}},   {"unicode", {"builtins", "str"}},    {"long", {"builtins", "int"}}};
    if (const auto found = moved.find(name); found != moved.end()) return found->second;
    return {"builtins", std::string(name)};
  }
  if (module == "copy_reg") return {"copyreg", std::string(name)};
  return {std::string(module), std::string(name)};
}

std::string argument_error(const std::string& name) { return "a call of " + name + " in the pickle has wrong arguments"; }

const Item& argument(const std::vector<const Item*>& arguments, size_t i, const std::string& name) {
  if (i >= arguments.size()) refuse_pickle(argument_error(name));
  return *arguments[i];
}
const Item& argument(const std::vector<const Item*>& arguments, size_t i, Kind kind, const std::string& name) {
  const Item& item = argument(arguments, i, name);
  if (!item.is(kind)) refuse_pickle(argument_error(name));
  return item;
}
bool truth_value_of(const Item& item) { return (item.is(Kind::boolean) || item.is(Kind::integer)) && item.integer != 0; }

Dims dims_of(const Item& item, const std::string& name) {
  if (!item.is(Kind::tuple) && !item.is(Kind::list) && !item.is(Kind::size)) refuse_pickle(argument_error(name));
  if (item.items.size() > 64)
    refuse_pickle("a tensor in the pickle has " + std::to_string(item.items.size()) + " dimensions; at most 64 are read");
  Dims dims;
  for (const Item* part : item.items) {
    if (!part->is(Kind::integer)) refuse_pickle(argument_error(name));
    dims.push_back(part->integer);
  }
  return dims;
}

}  // namespace

void refuse_pickle(const std::string& why) { throw Error("UnpicklingError", why); }

std::string type_of(const Item& item) {
  static constexpr const char* names[] = {"NoneType",
                                          "bool",
                                          "int",
                                          "int",
                                          "float",
                                          "complex",
                                          "str",
                                          "bytes",
                                          "bytearray",
                                          "tuple",
                                          "list",
                                          "dict",
                                          "collections.OrderedDict",
                                          "collections.Counter",
                                          "set",
                                          "torch.Size",
                                          "torch.dtype",
                                          "torch.layout",
                                          "torch.device",
                                          "torch.storage.TypedStorage",
                                          "torch.Tensor",
                                          "torch.nn.parameter.Parameter",
                                          "type",
                                          "object"};
  const bool has_class = item.is(Kind::object) && !item.items.empty();
  return "<class '" + (has_class ? item.items[0]->text : std::string(names[int(item.kind)])) + "'>";
}

Item* PickleCalls::make(Kind kind) {
  if (out_.items.size() >= most_items) refuse_pickle("the pickle holds more than " + std::to_string(most_items) + " objects");
  return &out_.items.emplace_back(kind);
}

void PickleCalls::note_copy(size_t count) {
  copied_ += count;
  if (copied_ > most_copied) refuse_pickle("The file copies what it holds again and again");
}

Item* PickleCalls::global(std::string_view given_module, std::string_view given_name) {
  const auto [module, name] = rename_from_python_2(given_module, given_name);
  std::string path = module + '.' + name;
  for (const std::string_view blocked : blocked_modules)
    if (module == blocked) refuse_pickle("Trying to load unsupported GLOBAL " + path + " whose module " + module + " is blocked.");
  if (const auto dtype = dtypes_by_name().find(path); dtype != dtypes_by_name().end()) {
    Item* item = make(Kind::dtype);
    item->integer = int64_t(dtype->second);
    return item;
  }
  if (known_calls().contains(path) || storages_by_name().contains(path) || allowed_.contains(path)) {
    Item* item = make(Kind::global);
    item->text = std::move(path);
    return item;
  }
  if (path.starts_with("builtins.")) path.erase(0, sizeof "builtins." - 1);
  refuse_pickle("Unsupported global: GLOBAL " + path +
                " was not an allowed global by default. Please use `torch.serialization.add_safe_globals([" + path +
                "])` or the `torch.serialization.safe_globals([" + path +
                "])` context manager to allowlist this global if you trust this class/function.");
}

Item* PickleCalls::call(const Item& function, const Item& arguments) {
  if (!function.is(Kind::global)) refuse_pickle("Trying to call reduce for unrecognized function " + type_of(function));
  if (!arguments.is(Kind::tuple)) refuse_pickle(argument_error(function.text));
  return perform(function.text, function, arguments);
}

Item* PickleCalls::make_new(const Item& type, const Item& arguments) {
  if (!type.is(Kind::global))
    refuse_pickle("Can only create new object for nn.Parameter or classes allowlisted via `add_safe_globals` but got " + type_of(type));
  if (!arguments.is(Kind::tuple)) refuse_pickle(argument_error(type.text));
  return perform(type.text, type, arguments);
}

Item* PickleCalls::record(const Item& function, const Item& arguments) {
  Item* item = make(Kind::object);
  item->items = {&function, &arguments};
  return item;
}

Item* PickleCalls::perform(const std::string& name, const Item& function, const Item& tuple) {
  const Arguments& arguments = tuple.items;
  if (name == "torch._utils._rebuild_tensor_v2" || name == "torch._utils._rebuild_tensor" || name == "torch._utils._rebuild_tensor_v3")
    return tensor(name, arguments);
  if (name == "torch._utils._rebuild_parameter")
    return parameter(argument(arguments, 0, Kind::tensor, name), truth_value_of(argument(arguments, 1, name)), nullptr);
  if (name == "torch._utils._rebuild_parameter_with_state")
    return parameter(argument(arguments, 0, Kind::tensor, name), truth_value_of(argument(arguments, 1, name)),
                     &argument(arguments, 3, name));
  if (name == "torch.nn.parameter.Parameter")
    return parameter(argument(arguments, 0, Kind::tensor, name), arguments.size() < 2 || truth_value_of(*arguments[1]), nullptr);
  if (name == "torch._tensor._rebuild_from_type_v2") return typed(arguments);
  if (name == "torch._utils._rebuild_sparse_tensor") return sparse_tensor(arguments);
  if (name == "torch._utils._rebuild_meta_tensor_no_storage") return meta_tensor(arguments);
  if (name == "collections.OrderedDict") return dict_of_pairs(Kind::ordered_dict, arguments);
  if (name == "collections.Counter") return dict_of_pairs(Kind::counter, arguments);
  if (name == "torch.device") return device(arguments);
  if (name == "torch.serialization._get_layout") return layout(arguments);
  if (name == "_codecs.encode") return encoded(Kind::bytes, arguments);
  if (name == "builtins.bytearray") return encoded(Kind::bytearray, arguments);
  if (name == "torch.Size" || name == "builtins.set") {
    Item* item = make(name == "torch.Size" ? Kind::size : Kind::set);
    if (!arguments.empty()) {
      const Item& from = *arguments[0];
      if (!from.is(Kind::tuple) && !from.is(Kind::list)) refuse_pickle(argument_error(name));
      if (item->is(Kind::size)) dims_of(from, name);
      note_copy(from.items.size());
      item->items = from.items;
    }
    return item;
  }
  if (name == "builtins.complex") {
    Item* item = make(Kind::complex);
    for (size_t i = 0; i < 2; ++i) item->real[i] = argument(arguments, i, Kind::real, name).real[0];
    return item;
  }
  return record(function, tuple);
}

Item* PickleCalls::dict_of_pairs(Kind kind, const Arguments& arguments) {
  Item* dict = make(kind);
  if (arguments.empty()) return dict;
  const Item& from = *arguments[0];
  note_copy(from.items.size());
  if (from.is(Kind::dict) || from.is(Kind::ordered_dict) || from.is(Kind::counter)) {
    dict->items = from.items;
    return dict;
  }
  if (!from.is(Kind::list) && !from.is(Kind::tuple)) refuse_pickle("a dictionary in the pickle is made from " + type_of(from));
  for (const Item* pair : from.items) {
    if ((!pair->is(Kind::tuple) && !pair->is(Kind::list)) || pair->items.size() != 2)
      refuse_pickle("a dictionary in the pickle is made from what is no pair");
    dict->items.insert(dict->items.end(), pair->items.begin(), pair->items.end());
  }
  return dict;
}

Item* PickleCalls::give_tensor(TensorRecord record, bool requires_grad) {
  Item* item = make(Kind::tensor);
  item->integer = int64_t(out_.tensors.size());
  item->requires_grad = requires_grad;
  out_.tensors.push_back(std::move(record));
  return item;
}

Item* PickleCalls::tensor(const std::string& name, const Arguments& arguments) {
  const Item& storage = argument(arguments, 0, Kind::storage, name);
  TensorRecord record;
  record.storage = storage.integer;
  record.dtype = storage.dtype;
  record.offset = argument(arguments, 1, Kind::integer, name).integer;
  record.sizes = dims_of(argument(arguments, 2, name), name);
  record.strides = dims_of(argument(arguments, 3, name), name);
  const bool is_third = name == "torch._utils._rebuild_tensor_v3";
  if (is_third) record.dtype = Dtype(argument(arguments, 6, Kind::dtype, name).integer);
  const size_t metadata = is_third ? 7 : 6;
  if (arguments.size() > metadata && arguments[metadata]->is(Kind::dict)) {
    const Arguments& pairs = arguments[metadata]->items;
    for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
      if (pairs[i]->text == "conj") record.conj = truth_value_of(*pairs[i + 1]);
      if (pairs[i]->text == "neg") record.neg = truth_value_of(*pairs[i + 1]);
    }
  }
  if (record.conj && !is_complex(record.dtype)) refuse_pickle("a tensor in the pickle is a conjugate and not complex");
  if (record.sizes.size() != record.strides.size()) refuse_pickle(argument_error(name));
  check(record.offset >= 0, "Tensor: invalid storage offset {}", record.offset);
  int64_t needed = record.offset;  // number of elements up to the last one that is used
  bool fits = bytes_needed(record.sizes, record.dtype).has_value(), is_empty = false;
  for (int64_t d = 0; d < record.sizes.size(); ++d) {
    check(record.strides[d] >= 0, "as_strided: Negative strides are not supported at the moment, got strides: {}", record.strides);
    is_empty |= record.sizes[d] == 0;
    int64_t step;
    fits = fits && !__builtin_mul_overflow(record.sizes[d] - 1, record.strides[d], &step) && !__builtin_add_overflow(needed, step, &needed);
  }
  const int64_t item = element_size(record.dtype), room = storage.nbytes;
  fits = fits &&
         (is_empty || (!__builtin_add_overflow(needed, 1, &needed) && !__builtin_mul_overflow(needed, item, &needed) && needed <= room));
  check(fits, "setStorage: sizes {}, strides {}, storage offset {}, and itemsize {} are out of bounds for storage of size {}", record.sizes,
        record.strides, record.offset, item, room);
  return give_tensor(std::move(record), arguments.size() > 4 && truth_value_of(*arguments[4]));
}

Item* PickleCalls::meta_tensor(const Arguments& arguments) {
  const std::string name = "torch._utils._rebuild_meta_tensor_no_storage";
  TensorRecord record;
  record.dtype = Dtype(argument(arguments, 0, Kind::dtype, name).integer);
  record.sizes = dims_of(argument(arguments, 1, name), name);
  record.strides = dims_of(argument(arguments, 2, name), name);
  if (record.sizes.size() != record.strides.size() || !bytes_needed(record.sizes, record.dtype)) refuse_pickle(argument_error(name));
  for (const int64_t stride : record.strides)
    if (stride < 0) refuse_pickle(argument_error(name));
  return give_tensor(std::move(record), arguments.size() > 3 && truth_value_of(*arguments[3]));
}

Item* PickleCalls::sparse_tensor(const Arguments& arguments) {
  const std::string name = "torch._utils._rebuild_sparse_tensor";
  TensorRecord record;
  record.layout = Layout(argument(arguments, 0, Kind::layout, name).integer);
  const Arguments& data = argument(arguments, 1, Kind::tuple, name).items;
  const bool is_coo = record.layout == Layout::sparse_coo;
  const size_t parts = is_coo ? 2 : 3;
  if (record.layout == Layout::strided) refuse_pickle(argument_error(name));
  for (size_t i = 0; i < parts; ++i) record.parts[i] = argument(data, i, Kind::tensor, name).integer;
  record.sizes = dims_of(argument(data, parts, name), name);
  record.is_coalesced = is_coo && data.size() > 3 && truth_value_of(*data[3]);
  record.dtype = out_.tensors[size_t(record.parts[parts - 1])].dtype;
  if (!bytes_needed(record.sizes, record.dtype)) refuse_pickle(argument_error(name));
  return give_tensor(std::move(record), /*requires_grad=*/false);
}

Item* PickleCalls::parameter(const Item& data, bool requires_grad, const Item* state) {
  Item* item = make(Kind::parameter);
  item->integer = data.integer;
  item->requires_grad = requires_grad;
  item->attributes = state;
  return item;
}

// Calls _rebuild_from_type_v2(function, class, arguments, state), which rebuilds a tensor subclass.
Item* PickleCalls::typed(const Arguments& arguments) {
  const std::string name = "torch._tensor._rebuild_from_type_v2";
  const Item& function = argument(arguments, 0, Kind::global, name);
  const Item& type = argument(arguments, 1, Kind::global, name);
  if (function.text == name) refuse_pickle(argument_error(name));  // otherwise calls could nest as deep as the file is long
  Item* inner = call(function, argument(arguments, 2, Kind::tuple, name));
  const Item* state = &argument(arguments, 3, name);
  if (type.text == "torch.Tensor" || (type.text == "torch.nn.parameter.Parameter" && inner->is(Kind::parameter))) {
    inner->attributes = state;
    return inner;
  }
  Item* item = make(Kind::object);
  item->items = {&type, inner};
  item->attributes = state;
  return item;
}

Item* PickleCalls::device(const Arguments& arguments) {
  Item* item = make(Kind::device);
  item->text = argument(arguments, 0, Kind::string, "torch.device").text;
  if (arguments.size() > 1) item->text += ':' + std::to_string(argument(arguments, 1, Kind::integer, "torch.device").integer);
  return item;
}

Item* PickleCalls::layout(const Arguments& arguments) {
  static const std::map<std::string_view, Layout> layouts = {
      {"torch.strided", Layout::strided},       {"torch.sparse_coo", Layout::sparse_coo}, {"torch.sparse_csr", Layout::sparse_csr},
      {"torch.sparse_csc", Layout::sparse_csc}, {"torch.sparse_bsr", Layout::sparse_bsr}, {"torch.sparse_bsc", Layout::sparse_bsc}};
  const std::string& name = argument(arguments, 0, Kind::string, "torch.serialization._get_layout").text;
  const auto found = layouts.find(name);
  if (found == layouts.end()) throw Error("KeyError", "'" + escape_for_message(name) + "'");
  Item* item = make(Kind::layout);
  item->integer = int64_t(found->second);
  return item;
}

// Decodes bytes, which protocol 2 represents as a call that encodes a Latin-1 string.
Item* PickleCalls::encoded(Kind kind, const Arguments& arguments) {
  const std::string name = kind == Kind::bytes ? "_codecs.encode" : "builtins.bytearray";
  Item* item = make(kind);
  if (arguments.empty() && kind == Kind::bytearray) return item;
  const Item& from = argument(arguments, 0, name);
  if (kind == Kind::bytearray && (from.is(Kind::integer) || from.is(Kind::boolean)))
    refuse_pickle("A bytearray is made from what the file holds, not from a number");
  note_copy(from.text.size());
  if (kind == Kind::bytearray && from.is(Kind::bytes)) {
    item->text = from.text;
    return item;
  }
  const std::string& encoding = argument(arguments, 1, Kind::string, name).text;
  if (!from.is(Kind::string) || (encoding != "latin1" && encoding != "latin-1")) refuse_pickle(argument_error(name));
  for (size_t i = 0; i < from.text.size(); ++i) {
    const auto first = uint8_t(from.text[i]);
    if (first >= 0xc4) throw Error("UnicodeEncodeError", "'latin-1' codec can't encode a string of the pickle");
    item->text += first < 0x80 ? char(first) : char((first & 3) << 6 | (from.text[++i] & 0x3f));
  }
  return item;
}

void PickleCalls::build(Item& target, const Item& state) {
  switch (target.kind) {
    case Kind::parameter:
    case Kind::ordered_dict:
    case Kind::object: target.attributes = &state; break;
    default:
      refuse_pickle("Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, but got " +
                    type_of(target));
  }
}

Item* PickleCalls::storage(const Item& id) {
  if (!id.is(Kind::tuple) && !id.is(Kind::integer)) refuse_pickle("persistent_load id must be tuple or int, but got " + type_of(id));
  const Arguments& parts = id.items;
  const auto is_text = [&](size_t i) { return parts[i]->is(Kind::string) || parts[i]->is(Kind::bytes); };
  if (parts.empty() || !is_text(0) || parts[0]->text != "storage")
    refuse_pickle("Only persistent_load of storage is allowed, but got " + (parts.empty() ? type_of(id) : type_of(*parts[0])));
  if (parts.size() < 5 || !parts[1]->is(Kind::global) || !is_text(2) || !is_text(3) || !parts[4]->is(Kind::integer))
    refuse_pickle("a storage in the pickle is described wrongly");
  const auto dtype = storages_by_name().find(parts[1]->text);
  if (dtype == storages_by_name().end()) refuse_pickle("a storage in the pickle is of the class " + parts[1]->text);
  StorageId wanted;
  wanted.dtype = dtype->second;
  wanted.key = parts[2]->text;
  wanted.location = parts[3]->text;
  wanted.numel = parts[4]->integer;
  if (wanted.numel < 0 || wanted.numel > INT64_MAX / 16)
    refuse_pickle("a storage in the pickle has " + std::to_string(wanted.numel) + " elements");
  if (parts.size() > 5 && parts[5]->is(Kind::tuple)) {
    const Arguments& view = parts[5]->items;
    wanted.is_view = true;
    wanted.view_offset = argument(view, 1, Kind::integer, "a view of a storage").integer;
    wanted.view_numel = argument(view, 2, Kind::integer, "a view of a storage").integer;
    if (wanted.view_offset < 0 || wanted.view_numel < 0 || wanted.view_offset > wanted.numel ||
        wanted.view_numel > wanted.numel - wanted.view_offset)
      refuse_pickle("a view of a storage in the pickle is larger than the storage");
  }
  const KnownStorage known = find_storage_(wanted);
  Item* item = make(Kind::storage);
  item->integer = known.number;
  item->dtype = wanted.dtype;
  item->nbytes = known.nbytes;
  return item;
}

}  // namespace mt::io
