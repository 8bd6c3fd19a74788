// The simulator's aclnn entry points: each reads its arguments by the operator's specification, and a stream's worker runs the library's
// CPU operator on the host's view of device memory.
#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <map>
#include <unordered_map>
#include <utility>

#include "npu/spec.h"
#include "npu_sim/objects.h"
#include "npu_sim/simulator.h"

using namespace mt;
using namespace mt::npu_sim;
using mt::npu::Spec;

namespace {

struct ParsedKernel {
  const mt_op* op;
  Spec spec;
  std::vector<mt_arg_info> arguments;
  int number_argument = -1;  // index of a tensor argument that is passed as a number
};

struct Argument {
  enum class Kind : int8_t { omitted, none, value, tensor, tensors, ints, bools, reals, scalars, string, generator } kind = Kind::omitted;
  mt_value value{};  // numbers and dtypes
  std::vector<aclTensor> tensors;
  std::vector<uint8_t> defined;
  std::vector<int64_t> ints;
  std::vector<uint8_t> bools;
  std::vector<double> reals;
  std::vector<mt_value> scalars;
  std::string string;
  Spec::Item::Form form = Spec::Item::Form::plain;
};

mt_arg_info argument_info(const mt_op* op, int index) {
  mt_arg_info info{};
  info.struct_size = sizeof info;
  mt_status_release(mt_op_get_arg(op, index, &info));
  return info;
}

// Scores how many arguments a specification describes: a complete argument counts more than one element of a list; repetitions do not
// count.
int count_described_arguments(const Spec& spec) {
  std::map<int, int> described;
  for (const Spec::Item& item : spec.items)
    if (item.kind == Spec::Item::Kind::argument) described[item.argument] = item.form == Spec::Item::Form::list ? 1 : 2;
  int sum = 0;
  for (const auto& [argument, much] : described) sum += much;
  return sum;
}

// Makes the entry of an operator that the library's copies and fills call by name.
ParsedKernel make_built_in_kernel(const char* name, const char* overload, const char* text,
                                  const std::vector<npu::SpecArgument>& arguments) {
  ParsedKernel known{};
  mt_status_release(mt_op_find(name, overload, &known.op));
  for (size_t i = 0; i < arguments.size(); ++i) known.arguments.push_back(argument_info(known.op, int(i)));
  known.spec = npu::parse_spec(text, arguments, 0);
  return known;
}

// Operators by the name of their aclnn operator. In-place and out forms use the functional form's entry.
const std::unordered_map<std::string, ParsedKernel>& get_operators() {
  static auto* const all = [] {
    auto* map = new std::unordered_map<std::string, ParsedKernel>();
    // Visits mutating operators after functional ones of the same name, and variants for a number last: of equally complete specifications
    // the first one stays.
    for (int pass = 0; pass < 4; ++pass)
      for (int64_t i = 0; i < mt_op_count(); ++i) {
        const mt_op* op = mt_op_at(i);
        mt_op_info info{};
        info.struct_size = sizeof info;
        mt_status_release(mt_op_get_info(op, &info));
        const int variant = pass / 2;
        if (bool(info.traits & MT_OP_MUTATES) != (pass % 2 == 1) || info.forms & (MT_FORM_INPLACE | MT_FORM_OUT)) continue;
        const char* text = nullptr;
        mt_status_release(variant ? mt_npu_number_kernel_name(op, &text) : mt_npu_kernel_name(op, &text));
        if (!text) continue;
        ParsedKernel known{op, {}, {}};
        std::vector<npu::SpecArgument> arguments;
        for (int a = 0; a < info.n_args; ++a) {
          known.arguments.push_back(argument_info(op, a));
          arguments.push_back({known.arguments.back().name, known.arguments.back().type});
          if (variant == 1 && arguments.back().type == "Tensor") known.number_argument = a;
        }
        int results = 0;
        for (int r = 0; r < info.n_returns; ++r) {
          mt_arg_info ret{};
          ret.struct_size = sizeof ret;
          mt_status_release(mt_op_get_return(op, r, &ret));
          results += ret.alias_set == 0;
        }
        try {
          known.spec = npu::parse_spec(text, arguments, results);
        } catch (const std::string&) {
          continue;  // the library itself refuses such an entry
        }
        // Overloads share an aclnn operator: keeps the specification that describes most arguments.
        auto [found, is_new] = map->try_emplace(known.spec.name, known);
        if (!is_new && count_described_arguments(found->second.spec) < count_described_arguments(known.spec))
          found->second = std::move(known);
      }
    (*map)["InplaceCopy"] = make_built_in_kernel("copy_", "", "InplaceCopy(self, src)", {{"self", "Tensor"}, {"src", "Tensor"}});
    (*map)["InplaceFillScalar"] = make_built_in_kernel("fill_", "Scalar", "InplaceFillScalar(self, value)",
                                                       {{"self", "Tensor"}, {"value", "Scalar"}});
    return map;
  }();
  return *all;
}

}  // namespace

extern "C" struct aclOpExecutor {
  const ParsedKernel* known;
  std::vector<Argument> arguments;
  std::vector<Argument> results;  // tensors, or none
};

namespace {

Access memory_range_of(const aclTensor& t, bool writes) {
  const int64_t itemsize = mt_dtype_size(t.dtype);
  int64_t low = 0, high = 0;
  bool empty = t.data == nullptr;
  for (size_t d = 0; d < t.sizes.size(); ++d) {
    if (t.sizes[d] == 0) empty = true;
    (t.strides[d] < 0 ? low : high) += (t.sizes[d] - 1) * t.strides[d];
  }
  const char* base = t.data + t.offset * itemsize;
  return {base + low * itemsize, empty ? base + low * itemsize : base + (high + 1) * itemsize, writes};
}

// ---- running ----

// Makes tensors over the host's view of device memory, and owns those of one call.
struct Views {
  std::vector<mt_tensor*> made;
  ~Views() {
    for (mt_tensor* t : made) mt_tensor_release(t);
  }
  mt_status* view_tensor(const aclTensor& t, mt_tensor** out) {
    static char nothing;
    const int64_t itemsize = mt_dtype_size(t.dtype);
    char* host = t.data ? host_view(t.data) : nullptr;
    char* data = host ? host + t.offset * itemsize : &nothing;
    mt_status* status = mt_tensor_from_data(data, t.sizes.data(), t.strides.data(), int64_t(t.sizes.size()), t.dtype, mt_device{MT_CPU, -1},
                                            nullptr, nullptr, out);
    if (!status) made.push_back(*out);
    return status;
  }
};

mt_value make_tagged_value(int32_t tag) {
  mt_value v{};
  v.tag = tag;
  return v;
}
mt_value make_list_value(int32_t tag, const void* data, size_t size) {
  mt_value v = make_tagged_value(tag);
  v.as.list.data = data;
  v.as.list.size = int64_t(size);
  return v;
}

struct BoxedArguments {
  Views views;
  std::vector<std::vector<mt_tensor*>> lists;
  mt_generator* generator = nullptr;
  ~BoxedArguments() { mt_generator_release(generator); }

  // Converts index tensors to int64, which the CPU's operators require.
  mt_status* convert_to_int64(mt_value* tensor) {
    mt_value args[2] = {*tensor, make_tagged_value(MT_TAG_DTYPE)}, wide{};
    args[1].as.i = MT_INT64;
    int64_t count = 0;
    if (mt_status* status = mt_dispatch("to", "dtype", args, 2, &wide, 1, &count)) return status;
    views.made.push_back(wide.as.tensor);
    *tensor = wide;
    return nullptr;
  }

  mt_status* box_argument(const Argument& a, const mt_arg_info& info, mt_value* out) {
    switch (a.kind) {
      case Argument::Kind::omitted: *out = make_tagged_value(MT_TAG_DEFAULT); return nullptr;
      case Argument::Kind::none: *out = make_tagged_value(MT_TAG_NONE); return nullptr;
      case Argument::Kind::value: *out = a.value; return nullptr;
      case Argument::Kind::ints: *out = make_list_value(MT_TAG_INTS, a.ints.data(), a.ints.size()); return nullptr;
      case Argument::Kind::bools: *out = make_list_value(MT_TAG_BOOLS, a.bools.data(), a.bools.size()); return nullptr;
      case Argument::Kind::reals: *out = make_list_value(MT_TAG_DOUBLES, a.reals.data(), a.reals.size()); return nullptr;
      case Argument::Kind::scalars: *out = make_list_value(MT_TAG_SCALARS, a.scalars.data(), a.scalars.size()); return nullptr;
      case Argument::Kind::string:
        *out = make_tagged_value(MT_TAG_STRING);
        out->as.string.data = a.string.data();
        out->as.string.size = int64_t(a.string.size());
        return nullptr;
      case Argument::Kind::generator: {
        // Each call has its own random stream, which seed and offset determine.
        if (mt_status* status = mt_generator_create(mt_device{MT_CPU, -1}, &generator)) return status;
        const uint64_t seed = uint64_t(a.ints[0]), offset = uint64_t(a.ints[1]);
        *out = make_tagged_value(MT_TAG_GENERATOR);
        out->as.generator = generator;
        return mt_generator_seed(generator, seed ^ (offset * 0x9e3779b97f4a7c15u));
      }
      case Argument::Kind::tensor: {
        *out = make_tagged_value(MT_TAG_TENSOR);
        mt_status* status = views.view_tensor(a.tensors[0], &out->as.tensor);
        return status || a.form != Spec::Item::Form::int32 ? status : convert_to_int64(out);
      }
      case Argument::Kind::tensors: {
        std::vector<mt_tensor*>& list = lists.emplace_back();
        for (size_t i = 0; i < a.tensors.size(); ++i) {
          mt_tensor* t = nullptr;
          if (a.defined[i])
            if (mt_status* status = views.view_tensor(a.tensors[i], &t)) return status;
          list.push_back(t);
        }
        *out = make_list_value(std::strchr(info.type, '?') ? MT_TAG_OPTIONAL_TENSORS : MT_TAG_TENSORS, list.data(), list.size());
        return nullptr;
      }
    }
    return nullptr;
  }
};

// Reports the result's actual sizes, and stores its elements contiguously.
mt_status* report_actual_sizes(const mt_tensor* result, aclTensor& target) {
  mt_tensor_info info{};
  info.struct_size = sizeof info;
  if (mt_status* status = mt_tensor_get_info(result, &info)) return status;
  target.sizes.assign(info.sizes, info.sizes + info.ndim);
  target.strides.assign(target.sizes.size(), 1);
  for (size_t d = target.sizes.size(); d > 1; --d)
    target.strides[d - 2] = target.strides[d - 1] * std::max<int64_t>(target.sizes[d - 1], 1);
  return nullptr;
}

mt_status* run_executor(const aclOpExecutor& e) {
  static const mt_op* const copy = [] {
    const mt_op* op = nullptr;
    mt_status_release(mt_op_find("copy_", "", &op));
    return op;
  }();
  BoxedArguments boxed;
  boxed.lists.reserve(e.arguments.size());
  std::vector<mt_value> args(e.arguments.size());
  for (size_t i = 0; i < args.size(); ++i)
    if (mt_status* status = boxed.box_argument(e.arguments[i], e.known->arguments[i], &args[i])) return status;
  mt_value rets[8] = {};
  int64_t count = 0;
  if (mt_status* status = mt_op_call(e.known->op, args.data(), int64_t(args.size()), rets, 8, &count)) return status;
  mt_status* status = nullptr;
  for (size_t i = 0; i < e.results.size() && !status; ++i) {
    if (e.results[i].kind != Argument::Kind::tensor || rets[i].tag != MT_TAG_TENSOR) continue;
    mt_value pair[2] = {make_tagged_value(MT_TAG_TENSOR), rets[i]};
    aclTensor target = e.results[i].tensors[0];
    if (e.results[i].form == Spec::Item::Form::transposed && target.sizes.size() > 1) {
      std::swap(target.sizes.end()[-1], target.sizes.end()[-2]);
      std::swap(target.strides.end()[-1], target.strides.end()[-2]);
    }
    if (target.decided) {
      status = report_actual_sizes(rets[i].as.tensor, target);
      *target.decided = target.sizes;
    }
    if (!status) status = boxed.views.view_tensor(target, &pair[0].as.tensor);
    mt_value written{};
    int64_t n = 0;
    if (!status) status = mt_op_call(copy, pair, 2, &written, 1, &n);
    mt_value_clear(&written);
  }
  for (int64_t i = 0; i < count; ++i) mt_value_clear(&rets[i]);
  return status;
}

// ---- reading the arguments of a call ----

// The arguments of a call in order. The first is a named parameter; a real number is never first.
struct ArgumentReader {
  va_list list;
  int64_t first = 0;
  bool is_first = true;

  int64_t next_word() { return std::exchange(is_first, false) ? first : va_arg(list, int64_t); }
  double next_real() { return va_arg(list, double); }
  double single() {  // a float is passed in the low half of the register
    const double value = next_real();
    float narrow;
    std::memcpy(&narrow, &value, sizeof narrow);
    return narrow;
  }
};

// Reads an object of an argument; a null pointer means None.
template <class Object>
const Object* read_object(ArgumentReader& words, Argument& out) {
  const auto* object = reinterpret_cast<const Object*>(words.next_word());
  if (!object) out.kind = Argument::Kind::none;
  return object;
}

void set_value(Argument& out, mt_value value) {
  out.kind = Argument::Kind::value;
  out.value = value;
}

void set_int(Argument& out, int32_t tag, int64_t i) {
  mt_value value = make_tagged_value(tag);
  value.as.i = i;
  set_value(out, value);
}

void set_real(Argument& out, double d) {
  mt_value value = make_tagged_value(MT_TAG_DOUBLE);
  value.as.d = d;
  set_value(out, value);
}

void read_scalar(ArgumentReader& words, Argument& out) {
  if (auto* s = read_object<aclScalar>(words, out)) set_value(out, s->value);
}

// Reads a list of one int as the int that the schema has.
void read_int_as_list(std::string_view type, ArgumentReader& words, Argument& out) {
  auto* items = read_object<aclIntArray>(words, out);
  if (!items) return;
  // Becomes None: the caller listed all dimensions because the schema's dimension was None.
  if (items->items.size() != 1 && type.ends_with('?'))
    out.kind = Argument::Kind::none;
  else
    set_int(out, MT_TAG_INT, items->items.at(0));
}

// Reads an argument in another form than its type implies; returns whether it has one.
bool read_in_form(std::string_view type, const Spec::Item& item, ArgumentReader& words, Argument& out) {
  using Form = Spec::Item::Form;
  if (item.form == Form::scalar) {
    read_scalar(words, out);
  } else if (item.form == Form::list) {
    read_int_as_list(type, words, out);
  } else if (item.form == Form::integer) {
    set_int(out, MT_TAG_INT, words.next_word());
  } else if (item.form == Form::single_float && type.starts_with("Scalar")) {
    set_real(out, words.single());
  } else if (item.form == Form::choice) {
    const int64_t place = words.next_word();
    if (place > 0 && size_t(place) <= item.choices.size()) out.kind = Argument::Kind::string, out.string = item.choices[size_t(place) - 1];
  } else {
    return false;
  }
  return true;
}

void append_tensor(Argument& out, const aclTensor* t) {
  out.tensors.push_back(t ? *t : aclTensor{});
  out.defined.push_back(t != nullptr);
}

void read_tensors(const ParsedKernel& known, std::string_view type, ArgumentReader& words, Argument& out) {
  if (type.find('[') == std::string_view::npos) {
    if (auto* t = read_object<aclTensor>(words, out)) {
      out.kind = Argument::Kind::tensor;
      out.tensors.push_back(*t);
    }
  } else if (!known.spec.each) {
    if (auto* items = read_object<aclTensorList>(words, out)) {
      out.kind = Argument::Kind::tensors;
      for (const aclTensor* t : items->items) append_tensor(out, t);
    }
  } else {
    const auto* t = read_object<aclTensor>(words, out);
    out.kind = Argument::Kind::tensors;
    if (t) append_tensor(out, t);
  }
}

// Reads a list of numbers; returns whether the type is one.
bool read_numbers(std::string_view type, ArgumentReader& words, Argument& out) {
  if (type.starts_with("Scalar[")) {
    if (auto* items = read_object<aclScalarList>(words, out)) {
      out.kind = Argument::Kind::scalars;
      for (const aclScalar* s : items->items) out.scalars.push_back(s->value);
    }
  } else if (type.starts_with("int[") || type.starts_with("SymInt[")) {
    auto* items = read_object<aclIntArray>(words, out);
    // An empty list of dimensions means all of them.
    if (items && items->items.empty() && type.ends_with('?'))
      out.kind = Argument::Kind::none;
    else if (items)
      out.kind = Argument::Kind::ints, out.ints = items->items;
  } else if (type.starts_with("bool[")) {
    if (auto* items = read_object<aclBoolArray>(words, out)) out.kind = Argument::Kind::bools, out.bools = items->items;
  } else if (type.starts_with("float[")) {
    if (auto* items = read_object<aclFloatArray>(words, out))
      out.kind = Argument::Kind::reals, out.reals.assign(items->items.begin(), items->items.end());
  } else {
    return false;
  }
  return true;
}

void read_argument(const ParsedKernel& known, int index, const Spec::Item& item, ArgumentReader& words, Argument& out) {
  const std::string_view type = known.arguments[size_t(index)].type;
  const bool is_list = type.find('[') != std::string_view::npos;
  if (read_in_form(type, item, words, out)) return;
  if (type.starts_with("Tensor") && (is_list || index != known.number_argument)) return read_tensors(known, type, words, out);
  if (read_numbers(type, words, out)) return;
  if (type.starts_with("ScalarType")) {
    set_int(out, MT_TAG_DTYPE, dtype_of(int32_t(words.next_word())));
    if (out.value.as.i < 0) out.kind = Argument::Kind::none;
  } else if (type.starts_with("Scalar") || type.starts_with("Tensor")) {
    read_scalar(words, out);
  } else if (type.starts_with("float")) {
    set_real(out, item.form == Spec::Item::Form::single_float ? words.single() : words.next_real());
  } else if (type.starts_with("bool")) {
    set_int(out, MT_TAG_BOOL, (words.next_word() & 0xff) != 0);
  } else if (type.starts_with("str")) {
    if (auto* text = read_object<char>(words, out)) out.kind = Argument::Kind::string, out.string = text;
  } else {
    set_int(out, MT_TAG_INT, words.next_word());
  }
}

void read_result(const Spec::Item& item, ArgumentReader& words, std::vector<Argument>& results) {
  if (results.size() <= size_t(item.argument)) results.resize(size_t(item.argument) + 1);
  Argument& result = results[size_t(item.argument)];
  result.form = item.form;
  auto* t = reinterpret_cast<const aclTensor*>(words.next_word());
  if (!t) return;
  result.kind = Argument::Kind::tensor;
  // The caller's object shares these sizes, and reads them after the operator has run.
  if (item.room != Spec::Item::Room::exact) const_cast<aclTensor*>(t)->decided = std::make_shared<std::vector<int64_t>>(t->sizes);
  result.tensors.push_back(*t);
}

// Sets arguments that the aclnn operator lacks: from the result if it determines them, else to off.
void derive_omitted_arguments(const ParsedKernel& known, aclOpExecutor& executor) {
  const bool has_result = !executor.results.empty() && executor.results[0].kind == Argument::Kind::tensor;
  for (size_t i = 0; i < known.arguments.size(); ++i) {
    Argument& a = executor.arguments[i];
    const std::string_view type = known.arguments[i].type;
    if (a.kind != Argument::Kind::omitted) continue;
    if (type.starts_with("ScalarType") && has_result)
      set_int(a, MT_TAG_DTYPE, executor.results[0].tensors[0].dtype);
    else if (type == "bool" && (known.spec.sized_by_device() || !known.arguments[i].default_text))
      set_int(a, MT_TAG_BOOL, known.spec.sized_by_device());  // requests all results that have room
  }
}

void set_generator(const ParsedKernel& known, int64_t seed, int64_t offset, aclOpExecutor& executor) {
  for (size_t i = 0; i < known.arguments.size(); ++i)
    if (std::strncmp(known.arguments[i].type, "Generator", 9) == 0) {
      executor.arguments[i].kind = Argument::Kind::generator;
      executor.arguments[i].ints = {seed, offset};
    }
}

aclnnStatus prepare_executor(const char* name, ArgumentReader& words) {
  if (const aclError fault = enter((std::string("aclnn") + name + "GetWorkspaceSize").c_str())) return fault;
  const auto found = get_operators().find(name);
  if (found == get_operators().end()) {
    set_error_text("the library has no operator for it");
    return acl::error_nn_param_invalid;
  }
  const ParsedKernel& known = found->second;
  auto executor = std::make_unique<aclOpExecutor>();
  executor->known = &known;
  executor->arguments.resize(known.arguments.size());
  int64_t seed = 0, offset = 0;
  bool random = false;
  for (const Spec::Item& item : known.spec.items) switch (item.kind) {
      case Spec::Item::Kind::seed: seed = words.next_word(), random = true; break;
      case Spec::Item::Kind::offset: offset = words.next_word(); break;
      case Spec::Item::Kind::constant:
      case Spec::Item::Kind::no_ints: words.next_word(); break;
      case Spec::Item::Kind::real: words.next_real(); break;
      case Spec::Item::Kind::result: read_result(item, words, executor->results); break;
      case Spec::Item::Kind::argument: {
        Argument& argument = executor->arguments[size_t(item.argument)];
        read_argument(known, item.argument, item, words, argument);
        argument.form = item.form;
        const mt_value& v = argument.value;
        if (item.for_none && *item.for_none == (v.tag == MT_TAG_DOUBLE ? v.as.d : double(v.as.i))) argument.kind = Argument::Kind::none;
        break;
      }
    }
  derive_omitted_arguments(known, *executor);
  if (random) set_generator(known, seed, offset, *executor);
  auto* workspace_size = reinterpret_cast<uint64_t*>(words.next_word());
  auto** out = reinterpret_cast<aclOpExecutor**>(words.next_word());
  *workspace_size = 0;
  *out = executor.release();
  return acl::success;
}

aclnnStatus launch_executor(const char* name, aclOpExecutor* executor, aclrtStream handle) {
  std::shared_ptr<aclOpExecutor> e(executor);  // freed with the last replay
  if (const aclError fault = enter((std::string("aclnn") + name).c_str())) return fault;
  if (!e || !is_stream(handle)) return acl::error_nn_param_invalid;
  Task task{std::string("aclnn") + name, nullptr, {}};
  auto note = [&](const Argument& a, bool writes) {
    for (size_t i = 0; i < a.tensors.size(); ++i)
      if (a.tensors[i].data) task.accesses.push_back(memory_range_of(a.tensors[i], writes));
  };
  for (size_t i = 0; i < e->arguments.size(); ++i) note(e->arguments[i], e->known->arguments[i].mutated != 0);
  for (const Argument& result : e->results) note(result, true);
  task.work = [e] {
    ++counters().kernels;
    mt_status* status = run_executor(*e);
    if (!status) return acl::success;
    set_error_text(mt_status_message(status));
    mt_status_release(status);
    return acl::error_rt_aicore_exception;
  };
  ++counters().launches;
  return submit(*static_cast<Stream*>(handle), std::move(task));
}

}  // namespace

// Defines the entry points: a pair for each aclnn operator that a definition names. They are variadic, since a specification describes
// their arguments.
#define MT_SIM_OPERATOR(name)                                                                                                   \
  extern "C" __attribute__((visibility("default"))) aclnnStatus aclnn##name##GetWorkspaceSize(int64_t first, ...) {             \
    ArgumentReader words;                                                                                                       \
    words.first = first;                                                                                                        \
    va_start(words.list, first);                                                                                                \
    const aclnnStatus status = prepare_executor(#name, words);                                                                  \
    va_end(words.list);                                                                                                         \
    return status;                                                                                                              \
  }                                                                                                                             \
  extern "C" __attribute__((visibility("default"))) aclnnStatus aclnn##name(void*, uint64_t, aclOpExecutor* e, aclrtStream s) { \
    return launch_executor(#name, e, s);                                                                                        \
  }
MT_SIM_OPERATOR(InplaceCopy)
MT_SIM_OPERATOR(InplaceFillScalar)
#include "npu_sim_operators.inc"
