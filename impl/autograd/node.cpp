// Nodes: lifetime, edges, and traversal for a garbage collector.
#include "autograd/node.h"

#include "autograd/engine.h"
#include "autograd/meta.h"
#include "core/exception.h"

namespace mt {
namespace {

thread_local uint64_t sequence_counter = 0;
// Nodes released while another one is being freed: a loop frees them, since recursion along a long chain would overflow the stack.
thread_local std::vector<Node*>* dying = nullptr;

struct NotImplementedNode : Node {
  NotImplementedNode(const std::string& text, char*) : Node("NotImplemented"), message(text) {}
  void run(Tensor*, Tensor*) override { fail("{}", message); }
  std::string message;
};

}  // namespace

uint64_t next_sequence_nr() { return sequence_counter++; }
uint64_t peek_sequence_nr() { return sequence_counter; }

Tensor WeakTensor::get() {
  std::lock_guard guard(lock);
  if (!impl) return Tensor();
  uint32_t count = impl->refs.load(std::memory_order_relaxed);
  while (count != 0)
    if (impl->refs.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) return Tensor::adopt(impl);
  return Tensor();
}

Node::Node(const char* node_name, uint64_t nr) : Object(Kind::node), name(node_name), sequence_nr(nr) {
  if (__builtin_expect(thread_state.anomaly, 0)) report_creation(this);
}

Node::~Node() {
  count_foreign(-int64_t(binding.owned) - int64_t(metadata != nullptr));
  binding.release_object();
  if (metadata && metadata_destroy) metadata_destroy(metadata);
  for (int i = 0; i < n_edges; ++i) edges[i].~Edge();
  for (int i = 0; i < n_inputs; ++i) inputs[i].~InputMeta();
  if (own_inputs) ::operator delete(inputs);
  kind = Kind::freed;
}

void Node::destroy(Node* node) noexcept {
  if (dying) {
    dying->push_back(node);
    return;
  }
  std::vector<Node*> queue;
  dying = &queue;
  delete node;
  while (!queue.empty()) {
    Node* next = queue.back();
    queue.pop_back();
    delete next;
  }
  dying = nullptr;
}

Value Node::saved_value(int64_t) { return none_value(); }

bool Node::wants(int edge) const { return edges[edge] && is_edge_requested(edges[edge]); }

void Node::set_inputs(int count) {
  if (count == n_inputs) return;
  for (int i = 0; i < n_inputs; ++i) inputs[i].~InputMeta();
  if (own_inputs) ::operator delete(inputs);
  inputs = static_cast<InputMeta*>(::operator new(sizeof(InputMeta) * size_t(count > 0 ? count : 1)));
  own_inputs = true;
  n_inputs = count;
  for (int i = 0; i < count; ++i) new (inputs + i) InputMeta();
}
void Node::set_edge(int index, Edge edge) { edges[index] = std::move(edge); }

void Node::describe_input(int index, const Tensor& tensor) {
  InputMeta& meta = inputs[index];
  meta.sizes = tensor->sizes;
  meta.dtype = tensor.dtype();
  meta.device = tensor.device();
  meta.layout = tensor.layout();
  meta.defined = true;
}

NodeHooks& Node::ensure_hooks() {
  std::lock_guard guard(lock);
  if (!hooks) hooks = std::make_unique<NodeHooks>();
  return *hooks;
}

int32_t Node::traverse_all(VisitFn visit, void* argument, Reachable& next) const {
  if (binding.owned && binding.object)
    if (int32_t r = visit(binding.object, argument)) return r;
  if (metadata)
    if (int32_t r = visit(metadata, argument)) return r;
  if (hooks) {
    for (auto& h : hooks->on_input)
      if (h.hook.use_count() == 1)
        if (int32_t r = visit(h.hook->user, argument)) return r;
    for (auto* list : {&hooks->pre, &hooks->post})
      for (auto& h : *list)
        if (h.use_count() == 1)
          if (int32_t r = visit(h->user, argument)) return r;
  }
  for (int i = 0; i < n_edges; ++i)
    if (edges[i] && edges[i].node->use_count() == 1) next.nodes.push_back(edges[i].node.get());
  return traverse(visit, argument, next);
}

int32_t traverse_reachable(VisitFn visit, void* argument, Node::Reachable& next) {
  // Most graphs hold no foreign object: returns at once then, so that frequent garbage collections stay cheap.
  if (foreign_objects.load(std::memory_order_relaxed) == 0) return 0;
  while (!(next.nodes.empty() && next.tensors.empty())) {
    if (!next.nodes.empty()) {
      const Node* node = next.nodes.back();
      next.nodes.pop_back();
      if (int32_t r = node->traverse_all(visit, argument, next)) return r;
      continue;
    }
    const TensorImpl* t = next.tensors.back();
    next.tensors.pop_back();
    if (t->binding.owned && t->binding.object)
      if (int32_t r = visit(t->binding.object, argument)) return r;
    const AutogradMeta* m = meta_of(*t);
    if (!m) continue;
    if (m->hooks) {
      for (auto& h : m->hooks->on_grad)
        if (h.use_count() == 1)
          if (int32_t r = visit(h->user, argument)) return r;
      for (auto& h : m->hooks->on_accumulated)
        if (h.use_count() == 1)
          if (int32_t r = visit(h->user, argument)) return r;
    }
    if (m->grad.defined() && m->grad->use_count() == 1) next.tensors.push_back(m->grad.get());
    if (m->grad_fn && m->grad_fn->use_count() == 1) next.nodes.push_back(m->grad_fn.get());
    if (m->view && m->view->base->use_count() == 1) next.tensors.push_back(m->view->base.get());
  }
  return 0;
}

Ref<Node> not_implemented_node(const std::string& message, int n_edges) {
  auto node = NodeMaker::make<NotImplementedNode>(n_edges, 1, 0, message);
  return Ref<Node>::share(node.get());
}

}  // namespace mt
