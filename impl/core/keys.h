// Dispatch keys and the thread's included and excluded sets.
#pragma once

#include <cstdint>

#include "mindtorch/dispatch.h"

namespace mt {

enum class Key : int8_t {
  cpu = MT_KEY_CPU,
  npu = MT_KEY_NPU,
  meta = MT_KEY_META,
  sparse = MT_KEY_SPARSE,
  sparse_compressed = MT_KEY_SPARSE_COMPRESSED,
  negative = MT_KEY_NEGATIVE,
  conjugate = MT_KEY_CONJUGATE,
  python = MT_KEY_PYTHON,
  view_and_version = MT_KEY_VIEW_AND_VERSION,
  autograd = MT_KEY_AUTOGRAD,
  autocast = MT_KEY_AUTOCAST,
  transforms = MT_KEY_TRANSFORMS,
  python_mode = MT_KEY_PYTHON_MODE,
  pipeline = MT_KEY_PIPELINE,
};
inline constexpr int key_count = MT_KEY_PIPELINE + 1;

using KeySet = uint64_t;
constexpr KeySet key_bit(Key key) { return KeySet(1) << int(key); }
// All keys below `key`.
constexpr KeySet keys_below(Key key) { return key_bit(key) - 1; }
inline constexpr KeySet sparse_keys = key_bit(Key::sparse) | key_bit(Key::sparse_compressed);
inline constexpr KeySet backend_keys = key_bit(Key::cpu) | key_bit(Key::npu) | key_bit(Key::meta) | sparse_keys;
// The keys under which a composite is registered: every device and layout. The operators that it calls record the graph.
inline constexpr Key composite_keys[] = {Key::cpu, Key::npu, Key::meta, Key::sparse, Key::sparse_compressed, Key::autograd};
const char* name_of(Key key);  // "CPU", "Meta", "Autograd", as torch's messages spell them

// Per-thread dispatch state. It holds plain data only, so that an access costs one load.
struct ThreadState {
  KeySet included = 0;
  KeySet excluded = 0;
  bool grad_mode = true;
  bool inference_mode = false;
  bool anomaly = false;
  bool anomaly_check_nan = true;
  bool multithreading = true;
  bool forward_grad = true;
  bool view_replay = false;
  mt_warning_fn warning_handler = nullptr;
  void* warning_user = nullptr;
};
extern thread_local constinit ThreadState thread_state;

// Excludes keys from this thread's calls for the lifetime of the object.
class ExcludeKeys {
 public:
  explicit ExcludeKeys(KeySet keys) : old_(thread_state.excluded) { thread_state.excluded |= keys; }
  ~ExcludeKeys() { thread_state.excluded = old_; }
  ExcludeKeys(const ExcludeKeys&) = delete;
  ExcludeKeys& operator=(const ExcludeKeys&) = delete;

 private:
  KeySet old_;
};
class GradMode {
 public:
  explicit GradMode(bool on) : old_(thread_state.grad_mode) { thread_state.grad_mode = on; }
  ~GradMode() { thread_state.grad_mode = old_; }
  GradMode(const GradMode&) = delete;
  GradMode& operator=(const GradMode&) = delete;

 private:
  bool old_;
};
// Kernels call operators under this guard: nothing is recorded, profiled or intercepted.
class BelowAutograd : ExcludeKeys {
 public:
  BelowAutograd() : ExcludeKeys(key_bit(Key::autograd) | key_bit(Key::view_and_version) | key_bit(Key::autocast)) {}
};

}  // namespace mt
