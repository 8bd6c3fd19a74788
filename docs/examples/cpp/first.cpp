// RAII tensors, operators by name, statuses as exceptions, gradients.
#include <cstdio>
#include <mindtorch/mindtorch.hpp>

using mindtorch::Op;
using mindtorch::Tensor;

int main() {
  const Tensor a = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  Tensor b = Tensor::from<float>({1, 0, 0, 1}, {2, 2});
  b.requires_grad_();

  static const Op matmul("matmul"), sum("sum");  // looked up once
  const Tensor loss = sum({matmul({a, b})});
  loss.backward();
  std::printf("loss %g, gradient %g %g\n", loss.item(), b.grad().data<float>()[0], b.grad().data<float>()[2]);

  try {
    matmul({a, Tensor::from<float>({1, 2, 3}, {3, 1})});
  } catch (const mindtorch::Error& error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.what());
  }

  const mindtorch::NoGrad unrecorded;  // records nothing until the end of the scope
  std::printf("recorded: %d\n", int((a * 2.0 + b).requires_grad()));
}
