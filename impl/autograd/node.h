// The graph: a node maps gradients of an operation's results to gradients of its arguments.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "autograd/hooks.h"
#include "autograd/lock.h"
#include "core/object.h"
#include "core/profile.h"
#include "core/tensor.h"
#include "definition/formula.h"

namespace mt {

struct Node;
class SavedTensor;

// The target of a gradient: input `nr` of a node. Without a node the gradient is dropped.
struct Edge {
  Ref<Node> node;
  uint32_t nr = 0;
  explicit operator bool() const { return bool(node); }
};

// The shape, dtype and device that a gradient must have when it enters a node.
struct InputMeta {
  Dims sizes;
  Dtype dtype = Dtype::none;
  Device device;
  Layout layout = Layout::strided;
  bool any_dtype = false;  // grad_dtype is None: gradients keep their dtype
  bool defined = false;    // false: no gradient can arrive here
};

// A weak reference to a tensor.
struct WeakTensor {
  SpinLock lock;
  TensorImpl* impl = nullptr;
  Tensor get();
};

struct NodeHooks {
  struct OnInput {
    uint32_t nr;
    TensorHook hook;
  };
  struct Retained {  // a tensor with retain_grad
    uint32_t nr;
    std::shared_ptr<WeakTensor> tensor;
  };
  std::vector<OnInput> on_input;
  std::vector<NodeHook> pre, post;
  std::vector<Retained> retained;
};

// Sequence numbers order the nodes of one thread by creation; AccumulateGrad has the largest.
uint64_t next_sequence_nr();
uint64_t peek_sequence_nr();  // the number that next_sequence_nr() will return

using VisitFn = int32_t (*)(void* user, void* argument);

struct Node : Object {
  explicit Node(const char* node_name, uint64_t nr = next_sequence_nr());
  virtual ~Node();
  // Frees a node. Chains of nodes are freed iteratively, whatever their length.
  static void destroy(Node* node) noexcept;
  // The size of a node exceeds that of its type: edges and inputs are stored behind it.
  static void operator delete(void* memory) { ::operator delete(memory); }

  // Takes one gradient per input and writes one per edge (undefined beforehand). The node may change both arrays.
  virtual void run(Tensor* grads, Tensor* out) = 0;
  // Drops saved tensors after a pass that does not retain the graph.
  virtual void release_saved() {}
  virtual const Tensor* variable() const { return nullptr; }  // set for AccumulateGrad
  virtual int64_t saved_count() const { return 0; }
  virtual const char* saved_name(int64_t) const { return ""; }
  virtual Value saved_value(int64_t);                             // the caller owns it
  virtual SavedTensor* saved_tensor(int64_t) { return nullptr; }  // nullptr if the saved value is not a tensor
  // Visits foreign pointers that only this node keeps alive; appends nodes and tensors still to visit to `next`.
  struct Reachable {
    std::vector<const Node*> nodes;
    std::vector<const TensorImpl*> tensors;
  };
  virtual int32_t traverse(VisitFn, void*, Reachable&) const { return 0; }

  bool wants(int edge) const;  // whether the running pass needs the gradient of an edge
  void set_inputs(int count);
  void set_edge(int index, Edge edge);
  void describe_input(int index, const Tensor& tensor);
  NodeHooks& ensure_hooks();
  // Visits hooks, bindings and the edges' targets for a garbage collector.
  int32_t traverse_all(VisitFn visit, void* argument, Reachable& next) const;

  const char* name;  // valid for ever, or as long as the node
  uint64_t sequence_nr;
  Edge* edges = nullptr;
  InputMeta* inputs = nullptr;
  int32_t n_edges = 0, n_inputs = 0;
  int32_t thread = thread_number();  // the thread that made it
  bool own_inputs = false;  // allocated separately from the node
  SpinLock lock;                               // guards hooks and saved tensors
  std::unique_ptr<NodeHooks> hooks;
  Binding binding;
  void* metadata = nullptr;
  void (*metadata_destroy)(void*) = nullptr;

 protected:
  friend struct NodeMaker;
};

// Allocates a node with its edges and inputs in one block; `extra` bytes for the type's own use follow
// (16-aligned).
struct NodeMaker {
  template <class T, class... A>
  static Ref<T> make(int n_edges, int n_inputs, size_t extra, A&&... args) {
    const size_t head = (sizeof(T) + 15) & ~size_t(15);
    const size_t edge_bytes = size_t(n_edges) * sizeof(Edge);
    const size_t input_bytes = size_t(n_inputs) * sizeof(InputMeta);
    char* memory = static_cast<char*>(::operator new(head + extra + edge_bytes + input_bytes));
    T* node;
    try {
      node = new (memory) T(static_cast<A&&>(args)..., memory + head);
    } catch (...) {
      ::operator delete(memory);
      throw;
    }
    char* tail = memory + head + extra;
    node->edges = reinterpret_cast<Edge*>(tail);
    for (int i = 0; i < n_edges; ++i) new (node->edges + i) Edge();
    node->inputs = reinterpret_cast<InputMeta*>(tail + edge_bytes);
    for (int i = 0; i < n_inputs; ++i) new (node->inputs + i) InputMeta();
    node->n_edges = n_edges;
    node->n_inputs = n_inputs;
    return Ref<T>::adopt(node);
  }
};

// Visits everything that only `next` keeps alive.
int32_t traverse_reachable(VisitFn visit, void* argument, Node::Reachable& next);

inline mt_node* node_handle(Node* node) { return reinterpret_cast<mt_node*>(static_cast<Object*>(node)); }

// An array of tensors of fixed size; small ones need no allocation.
class TensorArray {
 public:
  explicit TensorArray(int64_t n) : size_(n), data_(n <= 4 ? inline_ : new Tensor[size_t(n)]) {}
  TensorArray(const TensorArray&) = delete;
  TensorArray& operator=(const TensorArray&) = delete;
  ~TensorArray() {
    if (data_ != inline_) delete[] data_;
  }
  Tensor* data() { return data_; }
  Tensor& operator[](int64_t i) { return data_[i]; }
  int64_t size() const { return size_; }

 private:
  int64_t size_;
  Tensor inline_[4];
  Tensor* data_;
};

// A node for operators that have no derivative: it raises `message`.
Ref<Node> not_implemented_node(const std::string& message, int n_edges);

}  // namespace mt
