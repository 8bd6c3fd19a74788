# Trains a network of two layers on three spirals through MindTorch's module for Ruby.
require "mindtorch"

ARMS, POINTS, HIDDEN, STEPS = 3, 100, 64, 400

def make_spirals
  points, labels = [], []
  ARMS.times do |arm|
    POINTS.times do |i|
      radius = (i + 1).fdiv(POINTS)
      angle = arm * 2 * Math::PI / ARMS + 4 * radius + 0.1 * Math.sin(37.0 * i)
      points.push([radius * Math.cos(angle), radius * Math.sin(angle)])
      labels.push(arm)
    end
  end
  [MindTorch.tensor(points), MindTorch.tensor(labels)]
end

def forward(x, weight1, bias1, weight2, bias2) = x.linear(weight1, bias1).tanh.linear(weight2, bias2)

def descend(parameters, rate)
  MindTorch.no_grad do
    parameters.each do |parameter|
      parameter.add_(parameter.grad, alpha: -rate)
      parameter.grad = nil
    end
  end
end

def accuracy(logits, labels) = logits.argmax(1).eq(labels).sum.to_f / labels.numel

puts "mindtorch #{MindTorch.version}, ABI #{MindTorch.abi_version}, #{MindTorch.threads_get} threads"
x, labels = make_spirals
MindTorch.manual_seed(7)
parameters = [MindTorch.randn([HIDDEN, 2]), MindTorch.zeros([HIDDEN]), MindTorch.randn([ARMS, HIDDEN]) * 0.125, MindTorch.zeros([ARMS])]
parameters.each { |parameter| parameter.requires_grad = true }
1.upto(STEPS) do |step|
  logits = forward(x, *parameters)
  loss = logits.cross_entropy_loss(labels)
  loss.backward
  descend(parameters, 1.0)
  next unless step == 1 || step % 100 == 0
  puts format("step %d: loss %.6f, accuracy %.4f", step, loss.item, accuracy(logits, labels))
end

begin
  x + labels
rescue MindTorch::Error => e
  puts "#{e.kind}: #{e.message}"
end
