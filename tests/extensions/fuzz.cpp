// Calls functions of the stable ABI with nonsense arguments: NULL, handles of other kinds, deleted handles, extreme numbers. Every call
// must return a code. `fuzz LIBRARY CALLS SEED` prints how many calls returned which code.
#include "fuzz.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

struct Fuzz {
  std::mt19937_64 random;
  long good = 0, bad = 0;
  std::vector<void*> tensors, lists, strings;

  explicit Fuzz(uint64_t seed) : random(seed) {}
  size_t below(size_t n) { return size_t(random() % n); }
  void count(int32_t code) { ++(code ? bad : good); }

  int64_t number() {
    static const int64_t odd[] = {0, 1, 2, -1, 3, 64, 65, INT64_MAX, INT64_MIN, INT64_MAX / 2, 1ll << 40, 4096, -7};
    return odd[below(std::size(odd))];
  }
  int32_t small() { return int32_t(number()); }
  // Usually a live tensor, else NULL or a handle of another kind.
  void* tensor() {
    const size_t which = below(10);
    if (which == 0) return nullptr;
    if (which == 1 && !lists.empty()) return lists[below(lists.size())];
    return tensors.empty() ? nullptr : tensors[below(tensors.size())];
  }
  void* list() { return below(8) == 0 ? tensor() : lists.empty() ? nullptr : lists[below(lists.size())]; }
  void* string() { return below(8) == 0 ? list() : strings.empty() ? nullptr : strings[below(strings.size())]; }
  const char* text() {
    static const char* const odd[] = {nullptr, "", "cpu", "cpu:9", "aten::add", "aten::nothing", "::", "a(", "op(Tensor x) -> Tensor",
                                      "meta"};
    return odd[below(std::size(odd))];
  }

  void make_tensor() {
    int64_t sizes[3] = {int64_t(below(4)), number(), int64_t(below(3))}, strides[3] = {number(), 1, int64_t(below(3))};
    const int64_t ndim = below(6) == 0 ? number() : int64_t(below(3));
    void* made = nullptr;
    const int32_t dtype = below(4) == 0 ? small() : int32_t(6), device = below(5) == 0 ? small() : 0;
    int32_t code;
    switch (below(3)) {
      case 0: code = call("aoti_torch_new_uninitialized_tensor", &made); break;
      case 1:
        if (sizes[1] < 0 || sizes[1] > 4096) sizes[1] = int64_t(below(5));
        code = call("aoti_torch_empty_strided", ndim > 3 || ndim < 0 ? int64_t(2) : ndim, (const int64_t*)sizes, (const int64_t*)strides,
                    dtype, device, small(), &made);
        break;
      default: {
        static float memory[4096];
        const int64_t small_sizes[2] = {int64_t(below(4)), int64_t(below(4))}, small_strides[2] = {4, 1};
        code = call("aoti_torch_create_tensor_from_blob", (void*)memory, below(5) == 0 ? number() % 3 : int64_t(2), small_sizes,
                    small_strides, below(6) == 0 ? number() % 100 : int64_t(0), dtype, device, small(), &made);
      }
    }
    count(code);
    if (!code) tensors.push_back(made);
    if (tensors.size() > 64) drop_tensor();
  }
  void drop_tensor() {
    if (tensors.empty()) return;
    std::swap(tensors[below(tensors.size())], tensors.back());
    count(call("aoti_torch_delete_tensor_object", tensors.back()));
    tensors.pop_back();
  }

  void step() {
    int64_t i = 0;
    int32_t n = 0;
    bool flag = false;
    void* out = nullptr;
    size_t size = 0;
    int64_t dims[32] = {};
    if (below(2)) dims[1] = 1;
    uint64_t stack[16];
    for (uint64_t& word : stack) word = 0;
    switch (below(24)) {
      case 0: make_tensor(); break;
      case 1: drop_tensor(); break;
      case 2: count(call("aoti_torch_get_size", tensor(), number(), &i)); break;
      case 3: count(call("aoti_torch_get_stride", tensor(), number(), below(9) ? &i : nullptr)); break;
      case 4: count(call("aoti_torch_get_dtype", tensor(), &n)); break;
      case 5: count(call("aoti_torch_get_data_ptr", tensor(), &out)); break;
      case 6: count(call("aoti_torch_is_contiguous", tensor(), &flag)); break;
      case 7: {
        const int32_t code = call("aoti_torch_new_tensor_handle", tensor(), &out);
        count(code);
        if (!code) tensors.push_back(out);
        break;
      }
      case 8: {
        const int32_t code = call("torch_new_list_reserve_size", below(4) ? below(5) : size_t(number()), &out);
        count(code);
        if (!code) lists.push_back(out);
        break;
      }
      case 9: count(call("torch_list_get_item", list(), size_t(number()), &stack[0])); break;
      case 10: count(call("torch_list_push_back", list(), uint64_t(number()))); break;
      case 11: count(call("torch_list_size", list(), &size)); break;
      case 12: {
        const char* data = text();
        const int32_t code = call("torch_new_string_handle", data, size_t(data ? below(2) : number() ? 3 : 0), &out);
        count(code);
        if (!code) strings.push_back(out);
        break;
      }
      case 13: count(call("torch_string_length", string(), &size)); break;
      case 14: {
        uint32_t type;
        count(call("torch_parse_device_string", text(), &type, &n));
        break;
      }
      case 15: count(call("torch_call_dispatcher", text(), text(), stack, uint64_t(2) << 56)); break;
      case 16: count(call("aoti_torch_aten_narrow", tensor(), number(), number(), number(), &out)), keep(out); break;
      case 17: count(call("aoti_torch_cpu_add_Tensor", tensor(), tensor(), 1.0, &out)), keep(out); break;
      case 18: count(call("aoti_torch_cpu_permute", tensor(), dims, below(6) ? int64_t(below(33)) : int64_t(-1), &out)), keep(out); break;
      case 19: count(call("aoti_torch_copy_", tensor(), tensor(), 0)); break;
      case 20: count(call("aoti_torch_library_init_fragment", text(), text(), 3u, &out)), forget_library(out); break;
      case 21: count(call("aoti_torch_get_current_device_index", &n)); break;
      case 22: count(call("aoti_torch_zero_", tensor())); break;
      default: count(call("aoti_torch_assign_tensors", tensor(), tensor())); break;
    }
    if (lists.size() > 32) count(call("torch_delete_list", lists.back())), lists.pop_back();
    if (strings.size() > 32) count(call("torch_delete_string", strings.back())), strings.pop_back();
  }
  void keep(void* made) {
    if (made) tensors.push_back(made);
    if (tensors.size() > 64) drop_tensor();
  }
  void forget_library(void* made) {
    if (!made) return;
    count(call("aoti_torch_library_def", made, text()));
    count(call("aoti_torch_delete_library_object", made));
  }
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 4 || !(library = dlopen(arguments[1], RTLD_NOW))) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  Fuzz fuzz(std::strtoull(arguments[3], nullptr, 10));
  const long steps = std::strtol(arguments[2], nullptr, 10);
  for (long i = 0; i < steps; ++i) fuzz.step();
  std::printf("%ld went well, %ld were refused\n", fuzz.good, fuzz.bad);
  return fuzz.good && fuzz.bad ? 0 : 1;
}
