// Backward passes: roots, inputs, and queries about a running pass.
#include "autograd/engine.h"
#include "autograd/meta.h"
#include "autograd_support.h"
#include "core/messages.h"
#include "core/warn_once.h"
#include "dispatch/invoke.h"
#include "structs.h"

using namespace mt;
using namespace mt::capi;

namespace {

struct Roots {
  std::vector<Edge> edges;
  std::vector<Tensor> grads;
};

std::string size_text(const Tensor& t) { return text("torch.Size({})", t.sizes()); }

// Returns the gradient of a root: the given one after checks, or 1 for a real root of one element.
Tensor gradient_of_root(const Tensor& root, const mt_tensor* given, int64_t i) {
  if (!given) {
    check(root.numel() == 1, "grad can be implicitly created only for scalar outputs");
    check(is_floating(root.dtype()), "grad can be implicitly created only for real scalar outputs but got torch.{}", name_of(root.dtype()));
    return op<"ones_like">(root);
  }
  Tensor grad = tensor_of(given, "grads");
  check(grad.sizes() == root.sizes(), "Mismatch in shape: grad_output[{}] has a shape of {} and output[{}] has a shape of {}.", i,
        size_text(grad), i, size_text(root));
  return grad;
}

Roots collect_roots(mt_tensor* const* roots, mt_tensor* const* grads, int64_t n) {
  require_count(n, roots, "roots");
  Roots collected;
  for (int64_t i = 0; i < n; ++i) {
    Tensor root = tensor_of(roots[i], "roots");
    Edge edge = gradient_edge(root);
    check(bool(edge), messages::element_requires_no_grad, i);
    collected.edges.push_back(std::move(edge));
    collected.grads.push_back(gradient_of_root(root, grads ? grads[i] : nullptr, i));
  }
  return collected;
}

std::vector<Edge> collect_inputs(mt_tensor* const* inputs, int64_t n, bool accumulate) {
  require_count(n, inputs, "inputs");
  std::vector<Edge> edges;
  for (int64_t i = 0; i < n; ++i) {
    Tensor input = tensor_of(inputs[i], "inputs");
    check(requires_grad(input), messages::input_requires_no_grad);
    if (accumulate) retain_grad(input);
    edges.push_back(gradient_edge(input));
  }
  return edges;
}

void warn_of_reference_cycle() {
  static std::atomic<bool> given;
  warn_once(given,
            "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
            "which can cause a "
            "memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you have to use this "
            "function, make sure to "
            "reset the .grad fields of your parameters to None after use to break the cycle and avoid the leak.");
}

// Runs a backward pass; captured gradients go to `out`, which then owns them.
void run_pass(Roots& roots, const std::vector<Edge>& inputs, bool keep_graph, bool create_graph, bool accumulate, bool allow_unused,
              mt_tensor** out) {
  {
    GradMode mode(create_graph);
    validate_gradients(roots.edges.data(), int64_t(roots.edges.size()), roots.grads.data(), nullptr);
  }
  if (accumulate && create_graph) warn_of_reference_cycle();
  BackwardRequest request;
  request.roots = roots.edges.data();
  request.grads = roots.grads.data();
  request.n_roots = int64_t(roots.edges.size());
  request.inputs = inputs.data();
  request.n_inputs = int64_t(inputs.size());
  request.keep_graph = keep_graph;
  request.create_graph = create_graph;
  request.accumulate = accumulate;
  TensorArray captured(accumulate ? 0 : request.n_inputs);
  run_backward(request, captured.data());
  for (int64_t i = 0; i < captured.size(); ++i)
    check(allow_unused || captured[i].defined(),
          "The differentiated Tensor at index {} appears to not have been used in the graph. Set allow_unused=True if "
          "this is the desired "
          "behavior.",
          i);
  for (int64_t i = 0; i < captured.size(); ++i) out[i] = return_handle(std::move(captured[i]));
}

}  // namespace

mt_status* mt_autograd_backward(mt_tensor* const* roots, mt_tensor* const* grads, int64_t n, int32_t retain_graph, int32_t create_graph,
                                mt_tensor* const* inputs, int64_t n_inputs) {
  return guard([&] {
    Roots collected = collect_roots(roots, grads, n);
    run_pass(collected, collect_inputs(inputs, n_inputs, /*accumulate=*/true), retain_graph != 0, create_graph != 0,
             /*accumulate=*/true,
             /*allow_unused=*/true, nullptr);
  });
}

mt_status* mt_autograd_grad(mt_tensor* const* roots, mt_tensor* const* grads, int64_t n, mt_tensor* const* inputs, int64_t n_inputs,
                            int32_t retain_graph, int32_t create_graph, int32_t allow_unused, mt_tensor** out) {
  return guard([&] {
    check(n_inputs > 0, ErrorKind::value, messages::grad_requires_non_empty_inputs);
    require_not_null(out, "out");
    Roots collected = collect_roots(roots, grads, n);
    run_pass(collected, collect_inputs(inputs, n_inputs, /*accumulate=*/false), retain_graph != 0, create_graph != 0,
             /*accumulate=*/false, allow_unused != 0, out);
  });
}

mt_status* mt_autograd_run(const mt_edge* roots, mt_tensor* const* grads, int64_t n, const mt_edge* inputs, int64_t n_inputs,
                           int32_t retain_graph, int32_t create_graph, int32_t accumulate, int32_t allow_unused, mt_tensor** out) {
  return guard([&] {
    require_count(n, roots, "roots");
    require_count(n, grads, "grads");
    require_count(n_inputs, inputs, "inputs");
    auto edge_of = [](const mt_edge& edge, const char* what) {
      Node& node = node_of(edge.node, what);
      check(edge.nr >= 0 && edge.nr < node.n_inputs, ErrorKind::index, "{}: node {} has no input {}", what, node.name, edge.nr);
      return Edge{Ref<Node>::share(&node), uint32_t(edge.nr)};
    };
    Roots collected;
    for (int64_t i = 0; i < n; ++i) {
      check(roots[i].node != nullptr, messages::element_requires_no_grad, i);
      collected.edges.push_back(edge_of(roots[i], "roots"));
      collected.grads.push_back(optional_tensor_of(grads[i], "grads"));
    }
    std::vector<Edge> edges;
    for (int64_t i = 0; i < n_inputs; ++i) {
      check(inputs[i].node != nullptr, messages::input_requires_no_grad);
      edges.push_back(edge_of(inputs[i], "inputs"));
    }
    if (!accumulate) {
      check(n_inputs > 0, ErrorKind::value, messages::grad_requires_non_empty_inputs);
      require_not_null(out, "out");
    }
    run_pass(collected, edges, retain_graph != 0, create_graph != 0, accumulate != 0, allow_unused != 0, out);
  });
}

mt_status* mt_autograd_queue_callback(mt_status* (*callback)(void* user), void* user, void (*destroy)(void* user)) {
  return guard([&] {
    require_not_null(reinterpret_cast<void*>(callback), "callback");
    queue_final_callback(callback, user, destroy);
  });
}
mt_status* mt_autograd_current_node(mt_node** out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = return_handle(Ref<Node>::share(current_node()));
  });
}
int64_t mt_autograd_graph_task_id(void) { return current_graph_task_id(); }
mt_status* mt_autograd_will_execute(mt_node* node, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = will_execute(&node_of(node));
  });
}
mt_status* mt_anomaly_hooks_set(const mt_anomaly_hooks* hooks, void* user) {
  return guard([&] {
    if (!hooks) return set_anomaly_hooks(nullptr, user);
    const mt_anomaly_hooks own = read_struct(hooks, "hooks");
    set_anomaly_hooks(&own, user);
  });
}
