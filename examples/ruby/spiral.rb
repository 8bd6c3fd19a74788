# Trains a network of two layers on three spirals through MindTorch's module for Ruby, SWIG's wrapper of the C ABI.
require "mindtorch"

ARMS, POINTS, HIDDEN, STEPS = 3, 100, 64, 400

def make_spirals
  xy, labels = [], []
  ARMS.times do |arm|
    POINTS.times do |i|
      radius = (i + 1).fdiv(POINTS)
      angle = arm * 2 * Math::PI / ARMS + 4 * radius + 0.1 * Math.sin(37.0 * i)
      xy.push(radius * Math.cos(angle), radius * Math.sin(angle))
      labels.push(arm)
    end
  end
  count = ARMS * POINTS
  [MindTorch.tensor_from_doubles(xy, [count, 2], MindTorch::MT_FLOAT32),
   MindTorch.tensor_from_doubles(labels, [count], MindTorch::MT_INT64)]
end

def make_parameter(factory, sizes, scale = 1.0)
  tensor = MindTorch.call("mul", "Scalar", MindTorch.call(factory, "", sizes), scale)
  MindTorch.tensor_set_requires_grad(tensor, 1)
  tensor
end

def forward(x, weight1, bias1, weight2, bias2)
  hidden = MindTorch.call("tanh", "", MindTorch.call("linear", "", x, weight1, bias1))
  MindTorch.call("linear", "", hidden, weight2, bias2)
end

def descend(parameters, rate)
  MindTorch.mode_set(MindTorch::MT_MODE_GRAD, 0)
  parameters.each do |parameter|
    MindTorch.call("add_", "Tensor", parameter, MindTorch.tensor_grad(parameter), alpha: -rate)
    MindTorch.tensor_set_grad(parameter, nil)
  end
  MindTorch.mode_set(MindTorch::MT_MODE_GRAD, 1)
end

def accuracy(logits, labels)
  hits = MindTorch.call("eq", "Tensor", MindTorch.call("argmax", "", logits, 1), labels)
  MindTorch.tensor_item(MindTorch.call("sum", "", hits)) / (ARMS * POINTS)
end

puts "mindtorch #{MindTorch.version}, ABI #{MindTorch.abi_version}, #{MindTorch.threads_get} threads"
x, labels = make_spirals
MindTorch.generator_seed(MindTorch.generator_default, 7)
parameters = [make_parameter("randn", [HIDDEN, 2]), make_parameter("zeros", [HIDDEN]),
              make_parameter("randn", [ARMS, HIDDEN], 0.125), make_parameter("zeros", [ARMS])]
1.upto(STEPS) do |step|
  logits = forward(x, *parameters)
  loss = MindTorch.call("cross_entropy_loss", "", logits, labels)
  MindTorch.backward(loss)
  descend(parameters, 1.0)
  next unless step == 1 || step % 100 == 0
  puts format("step %d: loss %.6f, accuracy %.4f", step, MindTorch.tensor_item(loss), accuracy(logits, labels))
end

begin
  MindTorch.call("add", "Tensor", x, labels)
rescue MindTorch::Error => e
  puts "#{e.kind}: #{e.message}"
end
