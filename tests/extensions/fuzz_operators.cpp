// Calls every function of the stable ABI that operates on tensors with arguments at random: live and undefined tensors, NULL, handles of
// other kinds, extreme numbers and lengths. `calls.inc` is generated from torch's headers (test_fuzz.py). Every call must return.
// `fuzz_operators LIBRARY CALLS SEED [SHOW]` prints how many calls returned which code, and the functions that never succeeded; with SHOW
// it prints each call before it is made, from that call on.
#include "fuzz.h"

#include <sys/resource.h>
#include <unistd.h>

#include <complex>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

const char* current = "";
long done;

void say_where(int signal) {
  char text[256];
  const int n = std::snprintf(text, sizeof text, "signal %d in call %ld, of %s\n", signal, done, current);
  if (write(2, text, size_t(n)) < 0) _exit(3);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Makes the arguments of one call; they live until the next.
struct Arguments {
  std::mt19937_64 random;
  std::vector<void*> tensors;
  void* others[2] = {};  // a list and a string
  void* outputs[16];
  size_t used = 0;
  int64_t numbers[16][8];
  int32_t narrow[16][8];
  double reals[16][8];
  void* handles[16][8];
  const void* pointers[16][8];
  size_t cells = 0;
  bool show = false;

  explicit Arguments(uint64_t seed) : random(seed) {
    call("torch_new_list_reserve_size", size_t(2), &others[0]);
    call("torch_new_string_handle", "text", size_t(4), &others[1]);
  }
  size_t below(size_t n) { return size_t(random() % n); }
  size_t cell() { return cells++ % 16; }
  template <class T>
  T shown(const char* format, T value) {
    if (show) std::printf(format, value), std::fflush(stdout);
    return value;
  }

  int64_t some_number() {
    static const int64_t odd[] = {INT64_MAX, INT64_MIN, INT64_MAX / 2, 1ll << 40, 1ll << 31, -7, 64, 33};
    static const int64_t usual[] = {0, 1, 2, -1, 3, 1, 0, 4, -2};
    return below(12) == 0 ? odd[below(std::size(odd))] : usual[below(std::size(usual))];
  }
  int64_t number() { return shown(" %ld", some_number()); }
  int32_t small() { return shown(" %d", int32_t(some_number())); }
  double some_real() {
    static const double odd[] = {0, 1, -1, 0.5, 2, 1e30, -1e300, __builtin_nan(""), __builtin_inf(), 1e-320, 3};
    return odd[below(std::size(odd))];
  }
  double real() { return shown(" %g", some_real()); }
  bool flag() { return shown(" %d", int(below(2))) != 0; }
  const char* text() {
    static const char* const odd[] = {"mean", "sum",  "none", "floor", "trunc", "tanh", "right", "amax",   "prod",
                                      "",     "left", "cpu",  "max",   "nan",   "same", "valid", "linear", nullptr};
    return shown(" '%s'", odd[below(std::size(odd))]);
  }
  const void** maybe_text() {
    const void** place = pointers[cell()];
    place[0] = text();
    return maybe(place);
  }
  void* some_tensor() {
    if (below(40) == 0) return nullptr;
    if (below(60) == 0) return others[below(std::size(others))];
    return tensors.empty() ? nullptr : tensors[below(tensors.size())];
  }
  void* tensor() { return shown(" %p", some_tensor()); }
  void** output() {
    if (below(60) == 0) return shown(" %p", static_cast<void**>(nullptr));
    outputs[used] = nullptr;
    return &outputs[used++ % 16];
  }
  // Returns a pointer to memory for a result that is not a tensor, sometimes NULL.
  void* result() { return shown(" %p", below(60) == 0 ? nullptr : static_cast<void*>(numbers[cell()])); }
  int64_t length() {
    static const int64_t absurd[] = {-1, INT64_MIN, INT64_MAX, 1ll << 60};
    return shown(" [%ld]", below(60) == 0 ? absurd[below(4)] : int64_t(below(6)));
  }
  int64_t* list_of_numbers() {
    if (below(60) == 0) return shown(" %p", static_cast<int64_t*>(nullptr));
    int64_t* list = numbers[cell()];
    for (int i = 0; i < 8; ++i) list[i] = number();
    return list;
  }
  int32_t* list_of_small() {
    int32_t* list = narrow[cell()];
    for (int i = 0; i < 8; ++i) list[i] = small();
    return list;
  }
  double* list_of_reals() {
    double* list = reals[cell()];
    for (int i = 0; i < 8; ++i) list[i] = real();
    return list;
  }
  void** list_of_tensors() {
    if (below(60) == 0) return shown(" %p", static_cast<void**>(nullptr));
    void** list = handles[cell()];
    for (int i = 0; i < 8; ++i) list[i] = tensor();
    return list;
  }
  template <class T>
  T* maybe(T* value) {
    return below(3) == 0 ? shown(" none %p", static_cast<T*>(nullptr)) : value;
  }
  void** maybe_tensor() {
    void** list = handles[cell()];
    list[0] = tensor();
    return maybe(list);
  }
  // Usually passes no generator, because the ABI cannot make one; otherwise passes NULL or a handle of a tensor.
  void** maybe_generator() {
    if (below(9)) return shown(" none %p", static_cast<void**>(nullptr));
    return maybe_tensor();
  }
  const void** maybe_list(const void* list) {
    const void** place = pointers[cell()];
    place[0] = list;
    return maybe(place);
  }
  const void** list_of_maybe_tensors() {
    const void** list = pointers[cell()];
    for (int i = 0; i < 8; ++i) list[i] = maybe_tensor();
    return list;
  }

  void make_tensor() {
    static const int32_t dtypes[] = {0, 1, 3, 4, 4, 5, 6, 6, 6, 6, 6, 7, 9, 11, 11, 15};
    const int64_t ndim = int64_t(below(5));
    int64_t sizes[4], strides[4], step = 1;
    for (int i = 3; i >= 0; --i) sizes[i] = below(8) == 0 ? 0 : 1 + int64_t(below(4));
    for (int i = int(ndim) - 1; i >= 0; --i) strides[i] = below(9) == 0 ? 0 : step, step *= sizes[i] ? sizes[i] : 1;
    void* made = nullptr;
    const int32_t dtype = dtypes[below(std::size(dtypes))];
    if (below(20) == 0)
      call("aoti_torch_new_uninitialized_tensor", &made);
    else if (!call("aoti_torch_empty_strided", ndim, (const int64_t*)sizes, (const int64_t*)strides, dtype, 0, 0, &made))
      call("aoti_torch_zero_", made);
    keep(made);
  }
  // Deletes tensors with very many elements: a view can have them in little memory, but operators would take minutes.
  void keep(void* made) {
    int64_t numel = 0;
    if (made && !call("aoti_torch_get_numel", made, &numel) && numel > 1 << 20)
      call("aoti_torch_delete_tensor_object", made);
    else if (made)
      tensors.push_back(made);
    while (tensors.size() > 64) {
      std::swap(tensors[below(tensors.size())], tensors.back());
      call("aoti_torch_delete_tensor_object", tensors.back());
      tensors.pop_back();
    }
  }
};

struct Function {
  const char* name;
  int outputs;  // tensors that a call returns
  int32_t (*run)(Arguments&);
};
const Function functions[] = {
#include "calls.inc"
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 4 || !(library = dlopen(arguments[1], RTLD_NOW))) {
    std::fprintf(stderr, "%s\n", count < 4 ? "arguments" : dlerror());
    return 2;
  }
  // A call that asks for very much memory is refused instead of slowing the machine; AddressSanitizer limits allocations itself.
  if (!std::getenv("ASAN_OPTIONS")) {
    const rlimit limit{2ull << 30, 2ull << 30};
    setrlimit(RLIMIT_AS, &limit);
  }
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGALRM, SIGILL}) std::signal(signal, say_where);
  const long calls = std::strtol(arguments[2], nullptr, 10), show = count > 4 ? std::strtol(arguments[4], nullptr, 10) : calls;
  Arguments fuzz(std::strtoull(arguments[3], nullptr, 10));
  long good = 0, bad = 0;
  std::vector<long> successes(std::size(functions));
  for (done = 0; done < calls; ++done) {
    fuzz.show = done >= show;
    if (fuzz.tensors.size() < 16 || fuzz.below(3) == 0) fuzz.make_tensor();
    const size_t which = fuzz.below(std::size(functions));
    fuzz.used = 0;
    current = functions[which].name;
    if (fuzz.show) std::printf("\n%ld %s", done, current), std::fflush(stdout);
    alarm(200);
    const int32_t code = functions[which].run(fuzz);
    ++(code ? bad : good);
    successes[which] += code == 0;
    for (size_t i = 0; i < fuzz.used && i < 16 && int(i) < functions[which].outputs && !code; ++i) fuzz.keep(fuzz.outputs[i]);
  }
  std::printf("%ld went well, %ld were refused\n", good, bad);
  for (size_t i = 0; i < std::size(functions); ++i)
    if (!successes[i]) std::printf("never succeeded: %s\n", functions[i].name);
  return good && bad ? 0 : 1;
}
