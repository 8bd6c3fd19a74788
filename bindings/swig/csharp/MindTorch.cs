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
    // Calls an operator with plain arguments: numbers, strings, booleans, dtypes, tensors, sequences of them, null for none, and
    // (name, value) tuples for arguments by name. One result comes as itself, several as an array, a complex number as its real and
    // imaginary part. With the overload "", the arguments select it.
    public static object Call(string name, string overload, params object[] arguments) {
      Arguments call = Arguments.Begin(name, overload, arguments.Length);
      foreach (object argument in arguments) call.Add(argument);
      object result = call.Call();
      GC.KeepAlive(arguments);  // the collector must not release an argument during the call
      return result;
    }

    // As Call, for the many operators with one tensor as their result.
    public static Tensor Apply(string name, string overload, params object[] arguments) {
      return (Tensor) Call(name, overload, arguments);
    }

    // The tensors of a file of torch, safetensors, NumPy or GGUF, by name.
    public static Dictionary<string, Tensor> Load(string path) {
      Dictionary<string, Tensor> tensors = new Dictionary<string, Tensor>();
      using (NamedTensors found = capi.load_tensors(path)) {
        for (long i = 0; i < found.size(); ++i) tensors[found.name(i)] = found.get(i);
      }
      return tensors;
    }

    // Saves tensors by name, in the format of safetensors or of torch.
    public static void Save(string path, IEnumerable<KeyValuePair<string, Tensor>> tensors, bool asTorch = false) {
      using (NamedTensors named = new NamedTensors()) {
        foreach (KeyValuePair<string, Tensor> entry in tensors) named.add(entry.Key, entry.Value);
        named.save(path, asTorch);
      }
    }

    // Calls the function with each gradient of the tensor; a tensor that it returns replaces the gradient. Returns the
    // hook's number for tensor_remove_hook. The function, and what it refers to, stays in memory until the hook is removed or the tensor is
    // released.
    public static long OnGradient(Tensor tensor, Func<Tensor, Tensor> function) {
      Hook hook = new Hook(function);
      IntPtr key = GradientHook.getCPtr(hook).Handle;
      lock (hooks) hooks[key] = hook;
      try {
        long id;
        Native.Check(Native.AddHook(Tensor.getCPtr(tensor), GradientHook.getCPtr(hook), drop, out id));
        return id;
      } catch {
        Drop(key);
        throw;
      }
    }
    // What the library may call, by its address there.
    static readonly Dictionary<IntPtr, Hook> hooks = new Dictionary<IntPtr, Hook>();
    static readonly Native.DropCallback drop = Drop;
    static void Drop(IntPtr key) {
      lock (hooks) hooks.Remove(key);
    }

    // Seeds the generator of random numbers, which are torch's for the seed.
    public static void ManualSeed(long seed) { capi.generator_seed(capi.generator_default(), unchecked((ulong) seed)); }

    // A scope in which this thread records no gradients: using (Torch.NoGrad()) { ... }
    public static IDisposable NoGrad() { return new Off(); }

    sealed class Off : IDisposable {
      readonly int before = capi.mode_get(capi.MT_MODE_GRAD);
      internal Off() { capi.mode_set(capi.MT_MODE_GRAD, 0); }
      public void Dispose() { capi.mode_set(capi.MT_MODE_GRAD, before); }
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
