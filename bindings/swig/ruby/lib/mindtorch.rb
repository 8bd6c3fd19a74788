# The C ABI of MindTorch as SWIG wraps it, and `call`, which takes plain Ruby values.
require_relative "mindtorch/capi"

module MindTorch
  BOXES = {
    Tensor => :add_tensor, Generator => :add_generator, Integer => :add_int, Float => :add_double, String => :add_string,
    true.class => :add_bool, false.class => :add_bool
  }.freeze

  # Calls an operator; keywords are arguments by name. One result comes as itself, several as an array.
  def self.call(name, overload, *arguments, **named)
    values = Values.new
    arguments.each { |argument| box(values, argument) }
    named.each do |key, argument|
      box(values, argument)
      values.name(key.to_s)
    end
    results = dispatch(name, overload, values)
    found = Array.new(results.size) { |i| unbox(results, i) }
    found.size == 1 ? found[0] : found
  end

  # Calls the block with each gradient of the tensor; a tensor that it returns takes the gradient's place. Gives the hook's
  # number for tensor_remove_hook, until then the hook stays.
  def self.on_gradient(tensor, &block)
    hook = Hook.new(block)
    id = tensor_add_hook(tensor, hook)
    (@hooks ||= {})[id] = hook
    id
  end

  class Hook < GradientHook
    def initialize(block)
      super()
      @block = block
    end

    def call(gradient, replacement)
      made = @block.call(gradient)
      replacement.add(made) if made.is_a?(Tensor)
    end
  end

  class << self
    private

    def box(values, argument)
      case argument
      when nil then values.add_none
      when Symbol then values.add_string(argument.to_s)
      when Complex then values.add_complex(argument.real.to_f, argument.imaginary.to_f)
      when Array then box_list(values, argument)
      else
        how = BOXES[argument.class] or raise TypeError, "no boxed value for #{argument.class}"
        values.public_send(how, argument)
      end
    end

    def box_list(values, list)
      if list.all?(Integer) then values.add_ints(list)
      elsif list.all?(Numeric) then values.add_doubles(list)
      else
        tensors = Tensors.new
        list.each { |tensor| tensors.add(tensor) }
        values.add_tensors(tensors)
      end
    end

    def unbox(results, index)
      case results.tag(index)
      when MT_TAG_TENSOR then results.get_tensor(index)
      when MT_TAG_BOOL then results.get_bool(index)
      when MT_TAG_TENSORS
        tensors = results.get_tensors(index)
        Array.new(tensors.size) { |i| tensors.get(i) }
      else results.get_int(index)
      end
    end
  end
end
