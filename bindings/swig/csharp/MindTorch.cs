// What is written in C# above SWIG's classes: errors, operators with plain arguments, hooks as functions.
using System;
using System.Collections.Generic;
using System.Linq;

namespace MindTorch {

  // An error of the library; Kind is its name in Python ("IndexError").
  public class Error : Exception {
    public string Kind { get; }
    public Error(string kind, string message) : base(message) { Kind = kind; }
  }

  public static class Torch {
    // Calls an operator with plain arguments: numbers, strings, booleans, tensors, sequences of them, null for none, and
    // (name, value) tuples for arguments by name. One result comes as itself, several as an array.
    public static object Call(string name, string overload, params object[] arguments) {
      using (Values values = new Values()) {
        foreach (object argument in arguments) {
          if (argument is ValueTuple<string, object> named) {
            Box(values, named.Item2);
            values.name(named.Item1);
          } else {
            Box(values, argument);
          }
        }
        using (Values results = capi.dispatch(name, overload, values)) {
          object[] found = Enumerable.Range(0, (int) results.size()).Select(i => Unbox(results, i)).ToArray();
          return found.Length == 1 ? found[0] : found;
        }
      }
    }

    // As Call, for the many operators with one tensor as their result.
    public static Tensor Apply(string name, string overload, params object[] arguments) {
      return (Tensor) Call(name, overload, arguments);
    }

    // Calls the function with each gradient of the tensor; a tensor that it returns takes the gradient's place. Gives the
    // hook's number for tensor_remove_hook.
    public static long OnGradient(Tensor tensor, Func<Tensor, Tensor> function) {
      Hook hook = new Hook(function);
      long id = capi.tensor_add_hook(tensor, hook);
      lock (hooks) hooks[id] = hook;
      return id;
    }
    static readonly Dictionary<long, Hook> hooks = new Dictionary<long, Hook>();

    static void Box(Values values, object argument) {
      if (argument == null) values.add_none();
      else if (argument is Tensor tensor) values.add_tensor(tensor);
      else if (argument is Generator generator) values.add_generator(generator);
      else if (argument is mt_device device) values.add_device(device);
      else if (argument is string text) values.add_string(text);
      else if (argument is bool on) values.add_bool(on);
      else if (argument is int || argument is long) values.add_int(Convert.ToInt64(argument));
      else if (argument is float || argument is double) values.add_double(Convert.ToDouble(argument));
      else if (argument is IEnumerable<int> numbers) values.add_ints(numbers.Select(number => (long) number));
      else if (argument is IEnumerable<long> wide) values.add_ints(wide);
      else if (argument is IEnumerable<double> doubles) values.add_doubles(doubles);
      else if (argument is IEnumerable<Tensor> list) BoxTensors(values, list);
      else throw new ArgumentException("no boxed value for " + argument.GetType());
    }

    static void BoxTensors(Values values, IEnumerable<Tensor> list) {
      using (Tensors tensors = new Tensors()) {
        foreach (Tensor tensor in list) tensors.add(tensor);
        values.add_tensors(tensors);
      }
    }

    static object Unbox(Values results, long index) {
      int tag = results.tag(index);
      if (tag == capi.MT_TAG_TENSOR) return results.get_tensor(index);
      if (tag == capi.MT_TAG_BOOL) return results.get_bool(index);
      if (tag != capi.MT_TAG_TENSORS) return results.get_int(index);
      using (Tensors tensors = results.get_tensors(index)) {
        return Enumerable.Range(0, (int) tensors.size()).Select(i => tensors.get(i)).ToArray();
      }
    }
  }

  class Hook : GradientHook {
    readonly Func<Tensor, Tensor> function;
    public Hook(Func<Tensor, Tensor> function) { this.function = function; }

    public override void call(Tensor gradient, Tensors replacement) {
      try {
        Tensor made = function(gradient);
        if (made != null) replacement.add(made);
      } catch (Error error) {
        fail(error.Kind, error.Message);
      } catch (Exception error) {
        fail(error.GetType().Name, error.Message);
      }
    }
  }
}
