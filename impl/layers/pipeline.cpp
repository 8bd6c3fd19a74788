// The queue of a pipeline: deferred calls, the pending tensors that stand for their results, and how calls are run.
#include "layers/pipeline.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "autograd/meta.h"
#include "autograd/record.h"
#include "autograd/saved.h"
#include "autograd/swap.h"
#include "core/exception.h"
#include "core/modes_scope.h"
#include "core/profile.h"
#include "dispatch/invoke.h"
#include "dispatch/tensor_args.h"
#include "dispatch/user.h"
#include "rules/pointwise/pointwise_chain.h"
#include "vmap/call.h"

namespace mt {
namespace {

// A deferred call. It owns its arguments and the pending tensors of its results.
struct DeferredCall {
  const Operator* op;
  std::vector<Value> args;  // owned
  std::vector<Tensor> results;
  bool grad_mode;
  std::string site;

  DeferredCall(const Operator& o, const Value* given) : op(&o), grad_mode(thread_state.grad_mode) {
    args.reserve(size_t(o.n_args));
    for (int i = 0; i < o.n_args; ++i) args.push_back(own(given[i]));
  }
  DeferredCall(const DeferredCall&) = delete;
  DeferredCall& operator=(const DeferredCall&) = delete;
  ~DeferredCall() {
    for (Value& v : args) clear(v);
  }
};

struct Pipeline {
  int64_t depth = 0;
  Ref<Storage> nothing = make_storage(nullptr, 0, Device(), nullptr, nullptr);  // the storage of pending results
  std::vector<std::unique_ptr<DeferredCall>> queue;
  PipelineStatistics statistics;
};
Pipeline& pipeline() {
  thread_local Pipeline p;
  return p;
}

std::atomic<SiteFn> site_fn{nullptr};
std::atomic<void*> site_user{nullptr};

std::string site_of_call() {
  SiteFn fn = site_fn.load(std::memory_order_acquire);
  char text[256] = "";
  if (fn) fn(site_user.load(std::memory_order_relaxed), text, sizeof text);
  return text;
}

constexpr KeySet pipeline_key_bit = key_bit(Key::pipeline);

std::string full_name(const Operator& op) {
  return op.schema.ns + "::" + op.schema.name + (op.schema.overload.empty() ? "" : "." + op.schema.overload);
}

// ---- which calls may be deferred ----

bool has_deferrable_schema(const Call& c) {
  for (size_t i = 0; i < c.op.schema.args.size(); ++i) {
    const Argument& a = c.op.schema.args[i];
    if (a.mutated && (i > 0 || a.type != ArgType::tensor)) return false;
    if (a.type == ArgType::generator && c.args[i].tag != MT_TAG_NONE) return false;
    if (c.args[i].tag == MT_TAG_DEVICE && DeviceType(c.args[i].as.device.type) != DeviceType::cpu) return false;
  }
  const auto& returns = c.op.schema.returns;
  return std::all_of(returns.begin(), returns.end(), [](const Argument& r) { return r.type == ArgType::tensor; });
}

// Calls that draw random numbers, write to tensors that require grad, or are intercepted by anything but CPU kernels run at once.
bool can_defer(const Call& c) {
  const Operator& op = c.op;
  constexpr KeySet watched = key_bit(Key::python) | key_bit(Key::autocast) | key_bit(Key::transforms) | key_bit(Key::python_mode);
  if (!op.def || runs_as_composite(op) || op.tensor_args.empty() || op.traits & MT_OP_RANDOM || thread_state.included & watched ||
      thread_state.anomaly)
    return false;
  const KeySet handled = handled_keys(op);
  if (thread_state.excluded || thread_state.inference_mode || !(handled & key_bit(Key::cpu)) || !(handled & key_bit(Key::meta)))
    return false;
  if (op.form == Form::out || (op.form == Form::inplace && op.functional->schema.is_view)) return false;
  if (!has_deferrable_schema(c)) return false;
  bool may = true, records = false;
  constexpr KeySet plain = key_bit(Key::cpu) | key_bit(Key::autograd) | key_bit(Key::view_and_version) | pipeline_key_bit;
  for_each_tensor(op, c.args, [&](const Tensor& t) {
    may &= !(t.keys() & ~plain) && t.device().is_cpu() && !t->inference;
    records |= thread_state.grad_mode && requires_grad(t);
  });
  // With hooks on saved tensors a recorded call is not deferred: the hooks must be those active now.
  return may && !(records && (op.form != Form::functional || has_saved_hooks()));
}

// ---- pending results ----

Tensor make_meta_like(const Tensor& t) {
  // Gives the meta tensor the largest possible storage, so that inferring shapes checks no bounds of views: the call checks them when it
  // runs.
  static const Ref<Storage>* everything = new Ref<Storage>(make_storage(nullptr, INT64_MAX / 4, {DeviceType::meta, -1}, nullptr, nullptr));
  Tensor meta = make_tensor(*everything, t.dtype(), t.sizes(), t.strides(), t.storage_offset());
  meta->wrapped_number = t.is_wrapped_number();
  return meta;
}

Tensor make_pending(const Tensor& meta) {
  Tensor t = make_tensor(pipeline().nothing, meta.dtype(), meta.sizes(), meta.strides(), meta.storage_offset());
  t->device = Device();
  t->keys = key_bit(Key::cpu) | pipeline_key_bit;
  return t;
}

// Computes the results' shapes by the operator's meta rule; false if there is none.
bool infer_results(const Operator& op, const Value* args, std::vector<Tensor>& results) {
  std::vector<Value> metas(args, args + op.n_args);
  std::vector<Tensor> singles;
  std::vector<std::vector<Tensor>> lists;
  singles.reserve(op.tensor_args.size());
  lists.reserve(op.tensor_args.size());
  for (int8_t i : op.tensor_args) {
    if (args[i].tag == MT_TAG_TENSOR) {
      singles.push_back(make_meta_like(Unbox<Tensor>::from(args[i])));
      metas[size_t(i)] = box(singles.back());
    } else if (args[i].tag != MT_TAG_NONE) {
      std::vector<Tensor>& list = lists.emplace_back();
      for (const Tensor& t : Unbox<TensorList>::from(args[i])) list.push_back(t.defined() ? make_meta_like(t) : t);
      metas[size_t(i)] = list_value(args[i].tag, list.data(), int64_t(list.size()));
    }
  }
  Results<8> found;
  if (op.n_rets > 8) return false;
  try {
    BelowAutograd below;
    ExcludeKeys at_once(pipeline_key_bit);  // a rule may call other operators
    redispatch(op, key_bit(Key::meta), metas.data(), found.values);
  } catch (const std::exception&) {
    return false;  // running the call raises the error
  }
  for (int r = 0; r < op.n_rets; ++r) {
    if (found.values[r].tag != MT_TAG_TENSOR) return false;
    const Tensor& meta = Unbox<Tensor>::from(found.values[r]);
    if (meta.is_conj() || meta.is_neg()) return false;  // later calls would need the bit
    results.push_back(make_pending(meta));
  }
  return true;
}

bool enqueue_call(const Call& c) {
  auto waiting = std::make_unique<DeferredCall>(c.op, c.args);
  if (!infer_results(c.op, c.args, waiting->results)) return false;
  if (const uint32_t recorded = c.op.form == Form::functional ? results_to_record(c.op, c.args) : 0)
    for (size_t r = 0; r < waiting->results.size(); ++r)
      if (recorded >> r & 1 && is_differentiable(waiting->results[r].dtype())) ensure_meta(waiting->results[r]).requires_grad = true;
  waiting->site = site_of_call();
  if (c.op.form == Form::inplace) waiting->results.assign(1, Unbox<Tensor>::from(c.args[0]));
  Pipeline& p = pipeline();
  std::vector<Tensor> results = waiting->results;
  p.queue.push_back(std::move(waiting));
  ++p.statistics.queued;
  for (int r = 0; r < c.op.n_rets; ++r) put(c.rets[r], results[size_t(r)]);
  return true;
}

// ---- running ----

// Gives the pending tensor the contents of the real result.
void resolve_pending(const Tensor& pending, Tensor made) {
  if (made->use_count() > 1) made = requires_grad(made) ? op<"alias">(made) : alias(made, true);
  const uint32_t counted = pending.version();  // counts the writes of a composite body while its result was pending
  swap_contents(*pending, *made);
  while (pending.version() < counted) pending.bump_version();
}

void run_deferred_call(DeferredCall& w) {
  GradMode mode(w.grad_mode);
  Results<8> made;
  call(*w.op, w.args.data(), made.values);
  if (w.op->form == Form::inplace) return;
  for (size_t r = 0; r < w.results.size(); ++r) resolve_pending(w.results[r], take_tensor(made.values[r]));
}

using Queue = std::vector<std::unique_ptr<DeferredCall>>;

// How many references to `result` the calls [begin, end) hold.
int64_t count_references(const Queue& queue, size_t begin, size_t end, const TensorImpl* result) {
  int64_t count = 0;
  for (size_t i = begin; i < end; ++i) {
    for (const Tensor& r : queue[i]->results) count += r.get() == result;
    for_each_tensor(*queue[i]->op, queue[i]->args.data(), [&](const Tensor& t) { count += t.get() == result; });
  }
  return count;
}

constexpr size_t longest_chain = 32;

// The number of calls from `begin` on that can run as one pass over memory; 0 or 1 means no fusion.
size_t find_chain(const Queue& queue, size_t begin, std::vector<ChainLink>& links) {
  const TensorImpl* shape = nullptr;
  for (size_t i = begin; i < queue.size() && links.size() < longest_chain; ++i) {
    const DeferredCall& w = *queue[i];
    if (w.op->form != Form::functional || w.results.size() != 1 || requires_grad(w.results[0])) break;
    ChainLink link;
    try {
      if (!plan_pointwise(*w.op, w.args.data(), link.plan)) break;
    } catch (const std::exception&) {
      break;  // the call raises it again when run by itself
    }
    link.result = w.results[0].get();
    if ((shape && !(link.result->sizes == shape->sizes)) || !can_chain(link.plan, *link.result)) break;
    bool ready = true;  // every operand exists or is an earlier link
    for (int k = 0; k < link.plan.count; ++k) {
      const TensorImpl* t = link.plan.inputs[k].get();
      if (!is_pending(*t)) continue;
      bool earlier = false;
      for (const ChainLink& l : links) earlier |= l.result == t;
      ready &= earlier;
    }
    if (!ready) break;
    shape = link.result;
    links.push_back(std::move(link));
  }
  return links.size();
}

void run_chained_calls(Queue& queue, size_t begin, std::vector<ChainLink>& links) {
  OpenRange range;
  if (is_profiling()) range = begin_range(MT_PROFILE_OPERATOR, nullptr, "mindtorch::chain");
  const size_t end = begin + links.size();
  for (size_t i = 0; i < links.size(); ++i) {
    int64_t plans = 0;
    for (const ChainLink& link : links)
      for (int k = 0; k < link.plan.count; ++k) plans += link.plan.inputs[k].get() == links[i].result;
    links[i].is_kept = links[i].result->use_count() > count_references(queue, begin, end, links[i].result) + plans;
  }
  run_chain(links.data(), int64_t(links.size()));
  for (size_t i = 0; i < links.size(); ++i)
    if (links[i].is_kept) resolve_pending(queue[begin + i]->results[0], std::move(links[i].out));
  Pipeline& p = pipeline();
  ++p.statistics.chains;
  p.statistics.chained += int64_t(links.size());
}

// Marks results that will never exist with the reason.
void fail_pending(const Queue& queue, size_t begin, const std::string& reason) {
  for (size_t i = begin; i < queue.size(); ++i)
    for (const Tensor& result : queue[i]->results)
      if (is_pending(*result))
        result->storage =
            make_storage(nullptr, 0, Device(), [](void* text) { delete static_cast<std::string*>(text); }, new std::string(reason));
}

// Runs deferred calls under the modes that were active when they were queued.
struct RunAsQueuedScope : ModesScope {
  RunAsQueuedScope() {
    thread_state.included &= profiling;
    thread_state.excluded = pipeline_key_bit;
    thread_state.inference_mode = thread_state.anomaly = false;
  }
};

void run_queue(Queue queue) {
  RunAsQueuedScope guard;
  for (size_t i = 0; i < queue.size();) {
    DeferredCall& w = *queue[i];
    try {
      std::vector<ChainLink> links;
      if (find_chain(queue, i, links) > 1) {
        run_chained_calls(queue, i, links);
        i += links.size();
      } else {
        links.clear();
        run_deferred_call(w);
        queue[i++].reset();
      }
    } catch (const Error& e) {
      const std::string where = w.site.empty() ? "" : " at " + w.site;
      const std::string message = text("{}\n({} was queued in a pipeline{})", e.message(), full_name(*w.op), where);
      fail_pending(queue, i, message);
      throw Error(e.kind(), message);
    } catch (...) {
      fail_pending(queue, i, "an operator of the pipeline failed");
      throw;
    }
  }
}

void run_or_defer(const Call& c, const void*) {
  Pipeline& p = pipeline();
  for_each_tensor(c.op, c.args, [&](const Tensor& t) {
    if (is_pending(*t) && t->storage.get() != p.nothing.get()) resolve_if_pending(*t);  // from a failed pipeline, or from another thread
  });
  if (p.depth && runs_as_composite(c.op) && !is_looped(c.op)) return redispatch_below(c, Key::pipeline);
  if (p.depth && can_defer(c) && enqueue_call(c)) return;
  bool touches = false;  // a factory depends on no pending tensor
  for_each_tensor(c.op, c.args, [&](const Tensor&) { touches = true; });
  if (touches || c.op.traits & MT_OP_RANDOM) flush_pipeline();
  for_each_tensor(c.op, c.args, [&](const Tensor& t) {
    if (is_pending(*t)) resolve_if_pending(*t);
  });
  ExcludeKeys now(pipeline_key_bit);
  call(c.op, c.args, c.rets);
}

}  // namespace

void enter_pipeline() {
  ++pipeline().depth;
  thread_state.included |= pipeline_key_bit;
}

void exit_pipeline() {
  Pipeline& p = pipeline();
  check(p.depth > 0, ErrorKind::value, "no pipeline is open");
  if (--p.depth == 0) thread_state.included &= ~pipeline_key_bit;
  flush_pipeline();
}

void flush_pipeline() {
  Pipeline& p = pipeline();
  if (p.queue.empty()) return;
  ++p.statistics.flushes;
  Queue queue;
  queue.swap(p.queue);  // running calls may read tensors, which flushes
  run_queue(std::move(queue));
}

PipelineStatistics pipeline_statistics() { return pipeline().statistics; }

void set_pipeline_site(SiteFn fn, void* user) {
  site_fn.store(nullptr);
  site_user.store(user);
  site_fn.store(fn, std::memory_order_release);
}

void resolve_if_pending(const TensorImpl& t) {
  flush_pipeline();
  if (!is_pending(t)) return;
  const auto* reason = static_cast<const std::string*>(t.storage->context);
  check(reason != nullptr, "the tensor waits in a pipeline of another thread");
  fail("the tensor was never computed, since its pipeline failed: {}", *reason);
}

void install_pipeline() { set_fallback(Key::pipeline, run_or_defer, nullptr); }

}  // namespace mt
