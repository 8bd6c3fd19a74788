// One backward pass: the nodes that it reaches, the number of gradients that each waits for, and gradients in flight.
#pragma once

#include <memory>
#include <vector>

#include "autograd/engine.h"

namespace mt {

struct FinalCallback {
  mt_status* (*run)(void* user);
  void* user;
  void (*destroy)(void* user);
};

class GraphTask {
 public:
  GraphTask(const BackwardRequest& request, Tensor* captured);
  ~GraphTask();
  GraphTask(const GraphTask&) = delete;
  GraphTask& operator=(const GraphTask&) = delete;

  void run();
  int64_t id() const { return id_; }
  bool will_execute(Node* node) const;
  bool wants(const Node* node) const;
  void add_callback(FinalCallback callback) { callbacks_.push_back(callback); }

  static thread_local GraphTask* current;
  static thread_local Node* current_node;

 private:
  struct Capture {
    uint32_t input_nr;
    int64_t output;
    int32_t next;  // next link of the same node; -1 ends the list
  };
  struct State {
    Node* node;
    uint32_t dependencies = 0;
    uint32_t first_link = 0;  // index into links_ of the first edge's state
    int32_t first_capture = -1;
    bool needed = false;
    bool queued = false;
    Tensor one;  // gradients that arrived: for a single input here, for several in the other field
    std::unique_ptr<Tensor[]> several;

    explicit State(Node* n) : node(n) {}
    Tensor* gradients() {
      if (node->n_inputs <= 1) return &one;
      if (!several) several.reset(new Tensor[size_t(node->n_inputs)]);
      return several.get();
    }
  };
  struct Ready {
    uint64_t sequence_nr;
    uint32_t state;
    bool operator<(const Ready& other) const { return sequence_nr < other.sequence_nr; }
  };

  int32_t find(const Node* node) const;
  int32_t find_or_add(Node* node);
  void rehash(size_t capacity);
  void discover();
  void mark_needed();
  bool executes(const State& state) const { return !limited_ || state.needed || state.first_capture >= 0; }
  void enqueue(uint32_t index);
  void execute(uint32_t index);
  void run_gradient_hooks(Node& node, Tensor* grads);
  void call_node(Node& node, Tensor* grads, Tensor* out);

  const BackwardRequest& request_;
  Tensor* captured_;
  const int64_t id_;
  const bool limited_;  // only paths to the requested inputs run
  std::vector<State> states_;
  std::vector<int32_t> table_;  // open-addressing hash table: node -> state
  std::vector<int32_t> links_;
  std::vector<Capture> captures_;
  std::vector<Ready> ready_;
  std::vector<FinalCallback> callbacks_;
};

}  // namespace mt
