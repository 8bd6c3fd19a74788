// Runs one backward pass; nodes run in descending order of their sequence numbers.
#include "autograd/graph_task.h"

#include <algorithm>
#include <atomic>

#include "autograd/meta.h"
#include "autograd/profile.h"
#include "core/exception.h"
#include "core/sparse.h"

namespace mt {

thread_local GraphTask* GraphTask::current = nullptr;
thread_local Node* GraphTask::current_node = nullptr;

namespace {

int64_t next_task_id() {
  static std::atomic<int64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed);
}

size_t hash_of(const Node* node) { return (reinterpret_cast<uintptr_t>(node) >> 4) * 0x9e3779b97f4a7c15u >> 20; }

class CurrentNode {
 public:
  explicit CurrentNode(Node* node) : old_(std::exchange(GraphTask::current_node, node)) {}
  ~CurrentNode() { GraphTask::current_node = old_; }

 private:
  Node* old_;
};

bool has_nan(const Tensor& t) {
  if (!t.device().is_cpu() || !is_differentiable(t.dtype())) return false;
  BelowAutograd below;
  Tensor count = op<"sum">(op<"isnan">(is_sparse(t) ? components_of(t).values : t));
  return *count.data<int64_t>() != 0;
}

void run_node(Node& node, Tensor* grads, Tensor* out) {
  OpenRange range;
  if (is_profiling()) range = begin_node(node, grads);
  node.run(grads, out);
}

}  // namespace

GraphTask::GraphTask(const BackwardRequest& request, Tensor* captured)
    : request_(request), captured_(captured), id_(next_task_id()), limited_(request.n_inputs > 0) {}

GraphTask::~GraphTask() {
  for (const FinalCallback& c : callbacks_)
    if (c.destroy) c.destroy(c.user);
}

int32_t GraphTask::find(const Node* node) const {
  const size_t mask = table_.size() - 1;
  for (size_t i = hash_of(node) & mask;; i = (i + 1) & mask) {
    if (table_[i] < 0) return -1;
    if (states_[size_t(table_[i])].node == node) return table_[i];
  }
}

void GraphTask::rehash(size_t capacity) {
  table_.assign(capacity, -1);
  const size_t mask = capacity - 1;
  for (size_t s = 0; s < states_.size(); ++s) {
    size_t i = hash_of(states_[s].node) & mask;
    while (table_[i] >= 0) i = (i + 1) & mask;
    table_[i] = int32_t(s);
  }
}

int32_t GraphTask::find_or_add(Node* node) {
  const size_t mask = table_.size() - 1;
  size_t i = hash_of(node) & mask;
  for (; table_[i] >= 0; i = (i + 1) & mask)
    if (states_[size_t(table_[i])].node == node) return table_[i];
  const int32_t index = int32_t(states_.size());
  states_.emplace_back(node);
  table_[i] = index;
  if (states_.size() * 2 > table_.size()) rehash(table_.size() * 2);
  return index;
}

// Finds all nodes reachable from the roots and counts the gradients that each waits for.
void GraphTask::discover() {
  states_.reserve(16);
  links_.reserve(32);
  rehash(64);
  std::vector<int32_t> todo;
  for (int64_t r = 0; r < request_.n_roots; ++r) {
    const size_t before = states_.size();
    const int32_t index = find_or_add(request_.roots[r].node.get());
    if (states_.size() > before) todo.push_back(index);
  }
  while (!todo.empty()) {
    const size_t index = size_t(todo.back());
    todo.pop_back();
    Node* node = states_[index].node;
    const size_t first = links_.size();
    states_[index].first_link = uint32_t(first);
    links_.resize(first + size_t(node->n_edges), -1);
    for (int e = 0; e < node->n_edges; ++e) {
      if (!node->edges[e]) continue;
      const size_t before = states_.size();
      const int32_t next = find_or_add(node->edges[e].node.get());
      if (states_.size() > before) todo.push_back(next);
      ++states_[size_t(next)].dependencies;
      links_[first + size_t(e)] = next;
    }
  }
}

// Marks the nodes on paths from the roots to the requested inputs.
void GraphTask::mark_needed() {
  for (int64_t i = 0; i < request_.n_inputs; ++i) {
    const Edge& input = request_.inputs[i];
    const int32_t index = input ? find(input.node.get()) : -1;
    if (index < 0) continue;
    State& state = states_[size_t(index)];
    if (request_.accumulate) {
      state.needed = true;
      continue;
    }
    captures_.push_back({input.nr, i, state.first_capture});
    state.first_capture = int32_t(captures_.size()) - 1;
  }
  enum : char { unseen, open, done };
  std::vector<char> seen(states_.size(), unseen);
  struct Frame {
    uint32_t state;
    int edge;
  };
  std::vector<Frame> stack;
  for (int64_t r = 0; r < request_.n_roots; ++r) {
    const uint32_t root = uint32_t(find(request_.roots[r].node.get()));
    if (seen[root] != unseen) continue;
    seen[root] = open;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      const uint32_t index = stack.back().state;
      State& state = states_[index];
      if (stack.back().edge == state.node->n_edges) {
        seen[index] = done;
        stack.pop_back();
        if (!stack.empty() && executes(state)) states_[stack.back().state].needed = true;
        continue;
      }
      const int32_t next = links_[state.first_link + uint32_t(stack.back().edge++)];
      if (next < 0) continue;
      if (seen[size_t(next)] == unseen) {
        seen[size_t(next)] = open;
        stack.push_back({uint32_t(next), 0});
      } else if (executes(states_[size_t(next)])) {
        state.needed = true;
      }
    }
  }
}

void GraphTask::enqueue(uint32_t index) {
  State& state = states_[index];
  if (state.queued) return;
  state.queued = true;
  ready_.push_back({state.node->sequence_nr, index});
  std::push_heap(ready_.begin(), ready_.end());
}

void GraphTask::run() {
  discover();
  if (limited_) mark_needed();
  for (int64_t r = 0; r < request_.n_roots; ++r) {
    const Edge& root = request_.roots[r];
    State& state = states_[size_t(find(root.node.get()))];
    if (!executes(state) || !request_.grads[r].defined()) continue;
    Tensor& slot = state.gradients()[root.nr];
    if (slot.defined())
      accumulate_into(slot, request_.grads[r]);
    else
      slot = request_.grads[r];
  }
  for (int64_t r = 0; r < request_.n_roots; ++r) {
    const int32_t index = find(request_.roots[r].node.get());
    State& state = states_[size_t(index)];
    if (state.dependencies == 0 && executes(state)) enqueue(uint32_t(index));
  }
  while (!ready_.empty()) {
    std::pop_heap(ready_.begin(), ready_.end());
    const uint32_t index = ready_.back().state;
    ready_.pop_back();
    execute(index);
  }
  for (size_t i = 0; i < callbacks_.size(); ++i) {  // a callback may add another one
    FinalCallback callback = callbacks_[i];
    rethrow_status(callback.run(callback.user));
  }
}

void GraphTask::run_gradient_hooks(Node& node, Tensor* grads) {
  if (const Tensor* leaf = node.variable()) {
    AutogradMeta* meta = meta_of(*leaf);
    if (meta && meta->hooks) {
      std::vector<TensorHook> hooks;
      {
        std::lock_guard guard(meta->lock);
        hooks = meta->hooks->on_grad;
      }
      for (const TensorHook& hook : hooks) run_tensor_hook(hook, grads[0]);
    }
  }
  if (!node.hooks) return;
  std::vector<NodeHooks::OnInput> on_input;
  std::vector<NodeHooks::Retained> retained;
  {
    std::lock_guard guard(node.lock);
    on_input = node.hooks->on_input;
    retained = node.hooks->retained;
  }
  for (const auto& h : on_input) run_tensor_hook(h.hook, grads[h.nr]);
  for (const auto& r : retained) {
    Tensor tensor = r.tensor->get();
    const Tensor& grad = grads[r.nr];
    if (!tensor.defined() || !grad.defined()) continue;
    Tensor& kept = ensure_meta(tensor).grad;
    if (kept.defined())
      kept = op<"add">(kept, grad);
    else
      kept = is_sparse(grad) ? op<"clone">(grad) : op<"clone">(grad, MemoryFormat::contiguous);
  }
}

void GraphTask::call_node(Node& node, Tensor* grads, Tensor* out) {
  std::vector<NodeHook> pre, post;
  if (node.hooks) {
    std::lock_guard guard(node.lock);
    pre = node.hooks->pre;
    post = node.hooks->post;
  }
  for (const NodeHook& hook : pre) run_node_hook(hook, grads, node.n_inputs, nullptr, 0);
  // Post hooks get these gradients after the node has run: a second reference keeps the node from overwriting their memory.
  TensorArray incoming(post.empty() ? 0 : node.n_inputs);
  for (int i = 0; i < int(incoming.size()); ++i) incoming[i] = grads[i];
  run_node(node, grads, out);
  if (node.hooks) {  // unpacking a saved tensor may have added callbacks
    std::lock_guard guard(node.lock);
    post = node.hooks->post;
  }
  for (const NodeHook& hook : post) run_node_hook(hook, out, node.n_edges, incoming.data(), int64_t(incoming.size()));
}

void GraphTask::execute(uint32_t index) {
  Node& node = *states_[index].node;
  Tensor one = std::move(states_[index].one);
  std::unique_ptr<Tensor[]> several = std::move(states_[index].several);
  if (node.n_inputs > 1 && !several) several.reset(new Tensor[size_t(node.n_inputs)]);
  Tensor* grads = several ? several.get() : &one;
  CurrentNode current(&node);
  OpenRange node_range;
  if (is_profiling()) node_range = begin_backward_step(node);
  run_gradient_hooks(node, grads);
  for (int32_t c = states_[index].first_capture; c >= 0; c = captures_[size_t(c)].next)
    captured_[captures_[size_t(c)].output] = grads[captures_[size_t(c)].input_nr];
  if (limited_ && !states_[index].needed) return;
  TensorArray out(node.n_edges);
  try {
    call_node(node, grads, out.data());
    if (!request_.keep_graph) node.release_saved();
    one.reset();
    several.reset();
    validate_gradients(node.edges, node.n_edges, out.data(), node.name);
    if (__builtin_expect(thread_state.anomaly && thread_state.anomaly_check_nan, 0))
      for (int e = 0; e < node.n_edges; ++e)
        if (out[e].defined() && has_nan(out[e])) fail("Function '{}' returned nan values in its {}th output.", node.name, int64_t(e));
  } catch (...) {
    if (thread_state.anomaly) report_failure(&node);
    throw;
  }
  for (int e = 0; e < node.n_edges; ++e) {
    const int32_t next = links_[states_[index].first_link + uint32_t(e)];
    if (next < 0) continue;
    State& target = states_[size_t(next)];
    --target.dependencies;
    if (!executes(target)) continue;
    if (out[e].defined()) {
      Tensor& slot = target.gradients()[node.edges[e].nr];
      if (slot.defined())
        accumulate_into(slot, std::move(out[e]));
      else
        slot = std::move(out[e]);
    }
    if (target.dependencies == 0) enqueue(uint32_t(next));
  }
}

bool GraphTask::wants(const Node* node) const {
  if (!limited_) return true;
  const int32_t index = find(node);
  return index >= 0 && executes(states_[size_t(index)]);
}

bool GraphTask::will_execute(Node* node) const {
  const int32_t index = find(node);
  if (index < 0 || !executes(states_[size_t(index)])) return false;
  check(!(limited_ && states_[size_t(index)].first_capture >= 0 && node->n_edges == 0),
        "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is "
        "currently not supported.");
  return true;
}

}  // namespace mt
