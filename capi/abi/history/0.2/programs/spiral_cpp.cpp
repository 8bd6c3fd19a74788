// Trains a network of two layers on three spirals through the C++ header.
#include <cmath>
#include <cstdio>
#include <mindtorch/mindtorch.hpp>

using mindtorch::Op;
using mindtorch::Tensor;

namespace {

constexpr int arms = 3, points = 100, hidden = 64, steps = 400;

void make_spirals(Tensor* where, Tensor* which) {
  const double turn = 6.283185307179586;
  std::vector<float> xy;
  std::vector<int64_t> arm_of;
  for (int arm = 0; arm < arms; ++arm) {
    for (int i = 0; i < points; ++i) {
      const double radius = (i + 1) / double(points);
      const double angle = arm * turn / arms + 4 * radius + 0.1 * std::sin(37.0 * i);
      xy.push_back(static_cast<float>(radius * std::cos(angle)));
      xy.push_back(static_cast<float>(radius * std::sin(angle)));
      arm_of.push_back(arm);
    }
  }
  *where = Tensor::from(xy, {arms * points, 2});
  *which = Tensor::from(arm_of, {arms * points});
}

struct Network {
  Tensor weight1 = mindtorch::call("randn", {mindtorch::Sizes{hidden, 2}});
  Tensor bias1 = mindtorch::call("zeros", {mindtorch::Sizes{hidden}});
  Tensor weight2 = mindtorch::call("randn", {mindtorch::Sizes{arms, hidden}}) * 0.125;
  Tensor bias2 = mindtorch::call("zeros", {mindtorch::Sizes{arms}});

  Network() {
    for (Tensor* parameter : parameters()) parameter->requires_grad_();
  }
  std::vector<Tensor*> parameters() { return {&weight1, &bias1, &weight2, &bias2}; }

  Tensor operator()(const Tensor& x) const {
    static const Op linear("linear"), tanh("tanh");
    return linear({tanh({linear({x, weight1, bias1})}), weight2, bias2});
  }

  void descend(double rate) {
    static const Op add("add_", "Tensor");
    mindtorch::NoGrad guard;
    for (Tensor* parameter : parameters()) {
      add({*parameter, parameter->grad(), -rate});
      parameter->clear_grad();
    }
  }
};

double accuracy(const Tensor& logits, const Tensor& labels) {
  const Tensor hits = mindtorch::call("eq", "Tensor", {mindtorch::call("argmax", {logits, 1}), labels});
  return mindtorch::call("sum", {hits}).item() / (arms * points);
}

}  // namespace

int main() try {
  std::printf("mindtorch %s, ABI %d, %d threads, %s\n", mt_version(), mt_abi_version(), mt_threads_get(), mt_cpu_capability());
  Tensor x, labels;
  make_spirals(&x, &labels);
  mindtorch::manual_seed(7);
  Network network;
  const Op cross_entropy("cross_entropy_loss");
  for (int step = 1; step <= steps; ++step) {
    const Tensor logits = network(x);
    const Tensor loss = cross_entropy({logits, labels});
    loss.backward();
    network.descend(1.0);
    if (step == 1 || step % 100 == 0) std::printf("step %d: loss %.6f, accuracy %.4f\n", step, loss.item(), accuracy(logits, labels));
  }
  return 0;
} catch (const mindtorch::Error& error) {
  std::fprintf(stderr, "%s: %s\n", error.kind().c_str(), error.what());
  return 1;
}
