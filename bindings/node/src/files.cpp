// Checkpoints: names and tensors of files, the objects of torch's files, saving.
#include <mindtorch/io.h>

#include <map>

#include "state.h"

namespace mindtorch_node {
namespace {

using Dict = std::unique_ptr<mt_tensor_dict, void (*)(mt_tensor_dict*)>;

mt_checkpoint* checkpoint_of(State& state, napi_value value) {
  return static_cast<mt_checkpoint*>(handle_of(state, value, Kind::checkpoint));
}

std::vector<std::string> strings_of(State& state, napi_value list) {
  std::vector<std::string> out;
  if (is_missing(state, list)) return out;
  for (uint32_t i = 0; i < length_of(state, list); ++i) out.push_back(text_of(state, element_of(state, list, i)));
  return out;
}

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> out;
  for (const std::string& text : texts) out.push_back(text.c_str());
  return out;
}

// open(path, whether tensors are copied, names of classes and functions that a pickle may use): opens a checkpoint.
napi_value open_checkpoint(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  const std::vector<std::string> allowed = strings_of(state, arguments[2]);
  const std::vector<const char*> names = pointers_to(allowed);
  mt_checkpoint_options options{};
  options.struct_size = sizeof(options);
  options.access = bool_of(state, arguments[1]) ? MT_READ_COPY : MT_READ_MAP;
  options.allowed = names.data();
  options.n_allowed = static_cast<int64_t>(names.size());
  mt_checkpoint* out = nullptr;
  mindtorch::check(mt_checkpoint_open(text_of(state, arguments[0]).c_str(), &options, &out));
  return wrap_handle(state, Kind::checkpoint, out);
}

mt_checkpoint_info info_of(mt_checkpoint* checkpoint) {
  mt_checkpoint_info about{};
  about.struct_size = sizeof(about);
  mindtorch::check(mt_checkpoint_get_info(checkpoint, &about));
  return about;
}

napi_value get_format(State& state, napi_callback_info info) {
  static const char* const names[] = {"", "safetensors", "torch", "torch legacy", "npy", "npz", "gguf"};
  const Arguments arguments(state, info);
  const int32_t format = info_of(checkpoint_of(state, arguments[0])).format;
  return make_text(state, format > 0 && format < 7 ? names[format] : "");
}

// [name, dtype, shape, bytes] of each tensor.
napi_value get_entries(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  mt_checkpoint* checkpoint = checkpoint_of(state, arguments[0]);
  const int64_t count = info_of(checkpoint).n_tensors;
  napi_value out = nullptr;
  check_napi(state.env, napi_create_array_with_length(state.env, static_cast<size_t>(count), &out));
  for (int64_t i = 0; i < count; ++i) {
    mt_checkpoint_entry entry{};
    entry.struct_size = sizeof(entry);
    mindtorch::check(mt_checkpoint_get_entry(checkpoint, i, &entry));
    napi_value row = nullptr;
    check_napi(state.env, napi_create_array_with_length(state.env, 4, &row));
    check_napi(state.env, napi_set_element(state.env, row, 0, make_text(state, entry.name)));
    check_napi(state.env, napi_set_element(state.env, row, 1, make_text(state, mt_dtype_name(entry.dtype))));
    check_napi(state.env, napi_set_element(state.env, row, 2, make_ints(state, entry.sizes, entry.ndim)));
    check_napi(state.env, napi_set_element(state.env, row, 3, make_number(state, entry.nbytes)));
    check_napi(state.env, napi_set_element(state.env, out, static_cast<uint32_t>(i), row));
  }
  return out;
}

// Returns the tensor with a name, or null if the file has none.
napi_value read(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  mt_checkpoint* checkpoint = checkpoint_of(state, arguments[0]);
  int64_t index = -1;
  mindtorch::check(mt_checkpoint_find(checkpoint, text_of(state, arguments[1]).c_str(), &index));
  mt_tensor* tensor = nullptr;
  if (index >= 0) mindtorch::check(mt_checkpoint_read(checkpoint, index, &tensor));
  const napi_value out = wrap_handle(state, Kind::tensor, tensor);
  collect_garbage_if_needed(state);
  return out;
}

// Returns the file's metadata as an array in which each name is followed by its text.
napi_value get_metadata(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  mt_checkpoint* checkpoint = checkpoint_of(state, arguments[0]);
  napi_value out = nullptr;
  check_napi(state.env, napi_create_array(state.env, &out));
  for (int64_t i = 0; i < info_of(checkpoint).n_metadata; ++i) {
    const char *key = nullptr, *value = nullptr;
    mindtorch::check(mt_checkpoint_metadata(checkpoint, i, &key, &value));
    check_napi(state.env, napi_set_element(state.env, out, static_cast<uint32_t>(2 * i), make_text(state, key)));
    check_napi(state.env, napi_set_element(state.env, out, static_cast<uint32_t>(2 * i + 1), make_text(state, value)));
  }
  return out;
}

// ---- objects of torch's files ----

struct Reader {
  State& state;
  mt_checkpoint* checkpoint;
  std::map<const mt_item*, napi_value> known;  // of containers, which may contain themselves
  int depth = 0;

  napi_value bytes(const mt_item_info& about) const {
    napi_value out = nullptr;
    check_napi(state.env, napi_create_buffer_copy(state.env, static_cast<size_t>(about.text_size), about.text, nullptr, &out));
    return out;
  }

  napi_value text(const mt_item_info& about) const { return make_text(state, about.text, static_cast<size_t>(about.text_size)); }

  // Reads an integer of any size from its bytes, which are little-endian two's complement.
  napi_value big_int(const mt_item_info& about) const {
    const auto size = static_cast<size_t>(about.text_size);
    const bool is_negative = size > 0 && (static_cast<unsigned char>(about.text[size - 1]) & 0x80) != 0;
    std::vector<uint64_t> words(size / 8 + 1, is_negative ? ~uint64_t{0} : 0);
    for (size_t i = 0; i < size; ++i) {
      const uint64_t byte = static_cast<unsigned char>(about.text[i]);
      words[i / 8] = (words[i / 8] & ~(uint64_t{0xff} << i % 8 * 8)) | byte << i % 8 * 8;
    }
    if (is_negative) {
      bool carries = true;
      for (uint64_t& word : words) {
        word = ~word + (carries ? 1 : 0);
        carries = carries && word == 0;
      }
    }
    napi_value out = nullptr;
    check_napi(state.env, napi_create_bigint_words(state.env, is_negative, words.size(), words.data(), &out));
    return out;
  }

  napi_value list(const mt_item* item, const mt_item_info& about) {
    napi_value out = nullptr;
    check_napi(state.env, napi_create_array_with_length(state.env, static_cast<size_t>(about.n_items), &out));
    known[item] = out;
    for (int64_t i = 0; i < about.n_items; ++i) {
      check_napi(state.env, napi_set_element(state.env, out, static_cast<uint32_t>(i), read(about.items[i])));
    }
    return out;
  }

  // Passes a dict's keys and values, in turn, to a JavaScript function that makes a Map or an object from them.
  napi_value dict(const mt_item* item, const mt_item_info& about) {
    napi_value pairs = nullptr;
    check_napi(state.env, napi_create_array_with_length(state.env, static_cast<size_t>(about.n_items), &pairs));
    const napi_value out = call_given(state, Given::make_dict, {pairs});
    known[item] = out;
    for (int64_t i = 0; i < about.n_items; ++i) {
      check_napi(state.env, napi_set_element(state.env, pairs, static_cast<uint32_t>(i), read(about.items[i])));
    }
    return known[item] = call_given(state, Given::make_dict, {pairs, out});
  }

  napi_value tensor(const mt_item* item) const {
    mt_tensor* out = nullptr;
    mindtorch::check(mt_checkpoint_read_item(checkpoint, item, &out));
    return wrap_handle(state, Kind::tensor, out);
  }

  napi_value read(const mt_item* item) {
    if (const auto at = known.find(item); at != known.end()) return at->second;
    if (++depth > 1000) fail("RecursionError", "the file's object is nested more than 1000 times");
    mt_item_info about{};
    about.struct_size = sizeof(about);
    mindtorch::check(mt_item_get_info(item, &about));
    const napi_value out = make(item, about);
    --depth;
    return out;
  }

  napi_value make(const mt_item* item, const mt_item_info& about) {
    napi_value out = nullptr;
    switch (about.kind) {
      case MT_ITEM_NONE: check_napi(state.env, napi_get_null(state.env, &out)); return out;
      case MT_ITEM_BOOL: check_napi(state.env, napi_get_boolean(state.env, about.integer != 0, &out)); return out;
      case MT_ITEM_INT:
      case MT_ITEM_LAYOUT: return make_number(state, about.integer);
      case MT_ITEM_BIG_INT: return big_int(about);
      case MT_ITEM_FLOAT: check_napi(state.env, napi_create_double(state.env, about.real[0], &out)); return out;
      case MT_ITEM_COMPLEX: {
        mt_value raw{};
        raw.tag = MT_TAG_COMPLEX;
        raw.as.c[0] = about.real[0];
        raw.as.c[1] = about.real[1];
        return unbox_value(state, raw);
      }
      case MT_ITEM_BYTES:
      case MT_ITEM_BYTEARRAY: return bytes(about);
      case MT_ITEM_TUPLE:
      case MT_ITEM_LIST:
      case MT_ITEM_SET:
      case MT_ITEM_SIZE: return list(item, about);
      case MT_ITEM_DICT:
      case MT_ITEM_ORDERED_DICT:
      case MT_ITEM_COUNTER: return dict(item, about);
      case MT_ITEM_DTYPE: return make_text(state, mt_dtype_name(static_cast<int32_t>(about.integer)));
      case MT_ITEM_STRING:
      case MT_ITEM_DEVICE:
      case MT_ITEM_GLOBAL: return text(about);
      case MT_ITEM_TENSOR:
      case MT_ITEM_PARAMETER: return known[item] = tensor(item);
      default: fail("TypeError", "JavaScript has no form for an object of the file; read its tensors by name");
    }
  }
};

// Returns the whole object of a file of torch.save, or null for other formats.
napi_value get_object(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  mt_checkpoint* checkpoint = checkpoint_of(state, arguments[0]);
  const mt_item* root = nullptr;
  mindtorch::check(mt_checkpoint_root_borrow(checkpoint, &root));
  napi_value out = nullptr;
  if (root == nullptr) {
    check_napi(state.env, napi_get_null(state.env, &out));
    return out;
  }
  Reader reader{state, checkpoint, {}};
  out = reader.read(root);
  collect_garbage_if_needed(state);
  return out;
}

// save(path, names, tensors, format or undefined, keys and values of metadata)
napi_value save_tensors(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  const std::vector<std::string> names = strings_of(state, arguments[1]), metadata = strings_of(state, arguments[4]);
  const std::vector<const char*> pairs = pointers_to(metadata);
  mt_tensor_dict* made = nullptr;
  mindtorch::check(mt_tensor_dict_create(&made));
  const Dict dict(made, mt_tensor_dict_release);
  for (uint32_t i = 0; i < names.size(); ++i) {
    if (names[i].find('\0') != std::string::npos) fail("ValueError", "a name contains NUL");
    mindtorch::check(mt_tensor_dict_set(made, names[i].c_str(), tensor_of(state, element_of(state, arguments[2], i))));
  }
  mt_save_options options{};
  options.struct_size = sizeof(options);
  options.metadata = pairs.data();
  options.n_metadata = static_cast<int64_t>(pairs.size() / 2);
  if (!is_missing(state, arguments[3])) {
    const std::string format = text_of(state, arguments[3]);
    if (format != "safetensors" && format != "torch") fail("ValueError", "a format to save in is safetensors or torch, not " + format);
    options.format = format == "torch" ? MT_FORMAT_TORCH : MT_FORMAT_SAFETENSORS;
  }
  mindtorch::check(mt_checkpoint_save(text_of(state, arguments[0]).c_str(), made, &options));
  return nullptr;
}

}  // namespace

void define_files(State& state, napi_value exports) {
  const std::pair<const char*, napi_callback> functions[] = {{"open", guarded<open_checkpoint>},  {"format", guarded<get_format>},
                                                             {"entries", guarded<get_entries>},   {"read", guarded<read>},
                                                             {"metadata", guarded<get_metadata>}, {"object", guarded<get_object>},
                                                             {"save", guarded<save_tensors>}};
  for (const auto& [name, function] : functions) define_function(state, exports, name, function);
}

}  // namespace mindtorch_node
