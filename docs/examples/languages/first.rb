# An operator, a gradient and an error through MindTorch's module for Ruby.
require "mindtorch"

def show(name, tensor)
  puts "#{name} #{MindTorch.tensor_to_doubles(tensor).map { |number| format("%g", number) }.join(" ")}"
end

x = MindTorch.tensor_from_doubles([1, 2, 3], [3], MindTorch::MT_FLOAT32)
y = MindTorch.tensor_from_doubles([4, 5, 6], [3], MindTorch::MT_FLOAT32)
show "sum", MindTorch.call("add", "Tensor", x, y, alpha: 1)

MindTorch.tensor_set_requires_grad(x, 1)
MindTorch.backward(MindTorch.call("sum", "", MindTorch.call("mul", "Tensor", x, x)))
show "gradient", MindTorch.tensor_grad(x)

begin
  MindTorch.call("add", "Tensor", x, MindTorch.call("ones", "", [2]))
rescue MindTorch::Error => e
  puts "#{e.kind}: #{e.message}"
end
