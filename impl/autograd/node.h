// The graph: a node turns gradients of one operation's results into gradients of its arguments.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "autograd/formula.h"
#include "autograd/hooks.h"
#include "autograd/lock.h"
#include "core/object.h"
#include "core/profile.h"
#include "core/tensor.h"

namespace mt {

struct Node;
class SavedTensor;

// Where a gradient goes: input `nr` of a node. Without a node: nowhere.
struct Edge {
  Ref<Node> node;
  uint32_t nr = 0;
  explicit operator bool() const { return bool(node); }
};

// What a gradient that comes into a node has to look like.
struct InputMeta {
  Dims sizes;
  Dtype dtype = Dtype::none;
  Device device;
  Layout layout = Layout::strided;
  bool any_dtype = false;  // grad_dtype None: gradients keep their own
  bool defined = false;    // false: no gradient can come here
};

// A tensor that somebody else keeps alive, or not any more.
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
  struct Retained {  // a tensor that wants its gradient kept
    uint32_t nr;
    std::shared_ptr<WeakTensor> tensor;
  };
  std::vector<OnInput> on_input;
  std::vector<NodeHook> pre, post;
  std::vector<Retained> retained;
};

// Sequence numbers order nodes of one thread by creation; AccumulateGrad has the largest.
uint64_t next_sequence_nr();
uint64_t peek_sequence_nr();  // what it will give

using VisitFn = int32_t (*)(void* user, void* argument);

struct Node : Object {
  explicit Node(const char* node_name, uint64_t nr = next_sequence_nr());
  virtual ~Node();
  // Frees a node; chains of nodes are freed one after the other, however long they are.
  static void destroy(Node* node) noexcept;
  // Nodes may be longer than their type: edges and inputs lie behind them.
  static void operator delete(void* memory) { ::operator delete(memory); }

  // One gradient per input in, one per edge out (undefined beforehand). Both arrays are the node's to change.
  virtual void run(Tensor* grads, Tensor* out) = 0;
  // Forgets saved tensors, after a pass that does not keep the graph.
  virtual void release_saved() {}
  virtual const Tensor* variable() const { return nullptr; }  // of AccumulateGrad
  virtual int64_t saved_count() const { return 0; }
  virtual const char* saved_name(int64_t) const { return ""; }
  virtual Value saved_value(int64_t);                             // owned
  virtual SavedTensor* saved_tensor(int64_t) { return nullptr; }  // nullptr where it is no tensor
  // Shows foreign pointers that only this node keeps alive; `next` takes nodes and tensors to look into.
  struct Reachable {
    std::vector<const Node*> nodes;
    std::vector<const TensorImpl*> tensors;
  };
  virtual int32_t traverse(VisitFn, void*, Reachable&) const { return 0; }

  bool wants(int edge) const;  // whether the running pass needs the gradient for an edge
  void set_inputs(int count);
  void set_edge(int index, Edge edge);
  void describe_input(int index, const Tensor& tensor);
  NodeHooks& ensure_hooks();
  // Hooks, bindings and the edges' targets, for a collector.
  int32_t traverse_all(VisitFn visit, void* argument, Reachable& next) const;

  const char* name;  // lives for ever, or as long as the node
  uint64_t sequence_nr;
  Edge* edges = nullptr;
  InputMeta* inputs = nullptr;
  int32_t n_edges = 0, n_inputs = 0;
  int32_t thread = thread_number();  // that made it
  bool own_inputs = false;  // allocated apart from the node
  SpinLock lock;                               // guards hooks and saved tensors
  std::unique_ptr<NodeHooks> hooks;
  Binding binding;
  void* metadata = nullptr;
  void (*metadata_destroy)(void*) = nullptr;

 protected:
  friend struct NodeMaker;
};

// Makes a node with room for its edges and inputs in the same piece of memory; `extra` bytes follow (16-aligned) for
// the type's own use.
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

// Walks everything that only `next` keeps alive.
int32_t traverse_reachable(VisitFn visit, void* argument, Node::Reachable& next);

inline mt_node* node_handle(Node* node) { return reinterpret_cast<mt_node*>(static_cast<Object*>(node)); }
inline Node* node_of_handle(mt_node* handle) { return static_cast<Node*>(reinterpret_cast<Object*>(handle)); }

// Tensors of a known number, a few of them without allocation.
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

// A node for operators whose derivative is not written.
Ref<Node> not_implemented_node(const std::string& message, int n_edges);

}  // namespace mt
