// Entry to the engine: starts backward passes, limits their nesting and validates gradients.
#include "autograd/engine.h"

#include <exception>
#include <thread>

#include "autograd/forward.h"
#include "autograd/graph_task.h"
#include "autograd/private_memory.h"
#include "autograd/saved.h"
#include "core/exception.h"
#include "core/profile.h"
#include "core/sparse.h"

namespace mt {
namespace {

// Hooks may start nested passes on the caller's stack up to this depth; deeper passes run on a new stack.
constexpr int max_depth = 60;
thread_local int nesting_depth = 0;

struct Anomaly {
  mt_anomaly_hooks hooks{};
  void* user = nullptr;
};
std::atomic<const Anomaly*> anomaly_hooks{nullptr};

void run_on_this_stack(const BackwardRequest& request, Tensor* captured) {
  struct Nesting {
    GraphTask* outer = GraphTask::current;
    Nesting() { ++nesting_depth; }
    ~Nesting() {
      --nesting_depth;
      GraphTask::current = outer;
    }
  } nesting;
  GradMode mode(request.create_graph);
  ExcludeKeys at_once(key_bit(Key::pipeline));
  GraphTask task(request, captured);
  GraphTask::current = &task;
  task.run();
}

void run_on_fresh_stack(const BackwardRequest& request, Tensor* captured) {
  std::exception_ptr failure;
  const ThreadState state = thread_state;
  const int64_t hidden = hidden_from_level;
  std::vector<SavedHooks> hooks = copy_saved_hooks();
  Profile* profile = profile_thread.profile;
  std::thread worker([&] {
    thread_state = state;
    hidden_from_level = hidden;
    profile_thread.profile = profile;
    set_saved_hooks(std::move(hooks));
    try {
      run_on_this_stack(request, captured);
    } catch (...) {
      failure = std::current_exception();
    }
    set_saved_hooks({});
  });
  worker.join();
  if (failure) std::rethrow_exception(failure);
}

bool expands_to(IntList sizes, IntList target) {
  if (sizes.size() > target.size()) return false;
  for (int64_t i = 1; i <= sizes.size(); ++i) {
    const int64_t size = sizes[sizes.size() - i];
    if (size != target[target.size() - i] && size != 1) return false;
  }
  return true;
}

[[noreturn]] void fail_gradient(const char* who, int64_t index, const std::string& problem) {
  const std::string text = "invalid gradient at index " + std::to_string(index) + " - " + problem;
  if (who) fail("Function {} returned an {}", who, text);
  fail("{}", text);
}

}  // namespace

void validate_gradients(const Edge* edges, int64_t n, Tensor* grads, const char* who) {
  for (int64_t i = 0; i < n; ++i) {
    Tensor& grad = grads[i];
    if (!edges[i] || !grad.defined() || int32_t(edges[i].nr) >= edges[i].node->n_inputs) continue;
    const InputMeta& meta = edges[i].node->inputs[edges[i].nr];
    if (!meta.defined) continue;
    if (!(grad.sizes() == IntList(meta.sizes))) {
      if (!expands_to(meta.sizes, grad.sizes()))
        fail_gradient(who, i, text("got {} but expected shape compatible with {}", grad.sizes(), meta.sizes));
      grad = op<"sum_to_size">(grad, meta.sizes);
    }
    if (is_compressed(grad.layout()) && grad.layout() != meta.layout)
      fail_gradient(who, i, text("expected layout {} but got {}", name_of(meta.layout), name_of(grad.layout())));
    if (grad.dtype() != meta.dtype && !meta.any_dtype) {
      check(is_floating(grad.dtype()) || is_complex(meta.dtype) == is_complex(grad.dtype()),
            "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, but got "
            "false.  (Could this "
            "error message be improved?  If so, please report an enhancement request to PyTorch.)");
      grad = op<"_to_copy">(grad, meta.dtype);
    }
    if (!(grad.device() == meta.device)) {
      if (grad.dim() != 0) fail_gradient(who, i, text("expected device {} but got {}", meta.device, grad.device()));
      grad = op<"_to_copy">(grad, nullptr, nullptr, meta.device);
    }
  }
}

void accumulate_into(Tensor& slot, Tensor extra) {
  if (slot->dtype == extra->dtype && is_private_memory(slot, 1))
    op<"add_">(slot, extra);
  else if (slot.layout() == Layout::sparse_coo)
    slot = op<"add">(extra, slot);  // a dense operand must come first; of two sparse ones, the later
  else
    slot = op<"add">(slot, extra);
}

void run_backward(const BackwardRequest& request, Tensor* captured) {
  if (nesting_depth >= max_depth)
    run_on_fresh_stack(request, captured);
  else
    run_on_this_stack(request, captured);
}

int64_t current_graph_task_id() { return GraphTask::current ? GraphTask::current->id() : -1; }
Node* current_node() { return GraphTask::current_node; }

bool will_execute(Node* node) {
  check(GraphTask::current, "_get_should_execute_nodes should only be called during the backward pass");
  return GraphTask::current->will_execute(node);
}

bool is_edge_requested(const Edge& edge) { return !GraphTask::current || GraphTask::current->wants(edge.node.get()); }

void queue_final_callback(mt_status* (*callback)(void* user), void* user, void (*destroy)(void* user)) {
  check(GraphTask::current, "Final callbacks can only be installed during backward pass.");
  GraphTask::current->add_callback({callback, user, destroy});
}

void set_anomaly_hooks(const mt_anomaly_hooks* hooks, void* user) {
  // A former table of anomaly hooks is never freed: another thread may still be using it.
  anomaly_hooks = hooks ? new Anomaly{*hooks, user} : nullptr;
}
void report_creation(Node* node) {
  const Anomaly* a = anomaly_hooks;
  if (a && a->hooks.on_create)
    a->hooks.on_create(a->user, node_handle(node), GraphTask::current_node ? node_handle(GraphTask::current_node) : nullptr);
}
void report_failure(Node* node) {
  const Anomaly* a = anomaly_hooks;
  if (a && a->hooks.on_error) a->hooks.on_error(a->user, node_handle(node));
}

}  // namespace mt
