// What a C# programmer expects of tensors. Values and texts are torch 2.13's where it has them.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using MindTorch;
using static MindTorch.Torch;

public static class Idioms {
  static bool hasFailed = false;

  static void Expect(string what, object found, object wanted) {
    string text = Convert.ToString(found, System.Globalization.CultureInfo.InvariantCulture);
    if (text == Convert.ToString(wanted, System.Globalization.CultureInfo.InvariantCulture)) return;
    Console.Error.WriteLine(what + ": " + text + " instead of " + wanted);
    hasFailed = true;
  }

  static string Failing(Action action) {
    try {
      action();
      return "nothing";
    } catch (Error error) {
      return error.Kind + ": " + error.Message;
    } catch (ObjectDisposedException error) {
      return error.ObjectName + " is disposed";
    } catch (Exception error) {
      return error.Message;
    }
  }

  static void Operators() {
    Tensor x = Tensor.Of(new float[] { 1, 2, 3, 4 }, 2, 2);
    Expect("arithmetic", 2 - x * 3 + x / 2, "Tensor float32 [2, 2]: [[-0.5, -3], [-5.5, -8]]");
    Expect("numbers on the left", 1.5 * x + 8 / x, "Tensor float32 [2, 2]: [[9.5, 7], [7.166667, 8]]".Replace("7.166667", "7.166667"));
    Expect("whole numbers", Tensor.Of(new long[] { 1, 2 }) * 2 - 1, "Tensor int64 [2]: [1, 3]");
    Expect("comparisons", x > 2, "Tensor bool [2, 2]: [[False, False], [True, True]]");
    Expect("between tensors", x <= x.Apply("t"), "Tensor bool [2, 2]: [[True, True], [False, True]]");
    Expect("product", x.MatMul(x), "Tensor float32 [2, 2]: [[7, 10], [15, 22]]");
    Expect("overloads", x.Apply("sum").ToDouble() + " " + x.Apply("sum", 0) + " " + x.Apply("max").Number(), "10 Tensor float32 [2]: [4, 6] 4");
    Expect("several results", string.Join(" ", (object[]) x.Call("max", 1)), "Tensor float32 [2]: [2, 4] Tensor int64 [2]: [1, 1]");
    Expect("keywords", x.Apply("sum", new[] { 1 }, ("keepdim", (object) true)), "Tensor float32 [2, 1]: [[3], [7]]");
    Expect("lists", Apply("cat", "", new List<Tensor> { x, x }, 1).Shape[1], 4);
    // Making an element of the list calls an operator, and nothing but the call itself refers to it.
    IEnumerable<Tensor> made = Enumerable.Range(0, 20).Select(i => {
      GC.Collect();
      return Tensor.Of(new long[] { i }).Apply("neg");
    });
    Expect("a list made during the call", Apply("cat", "", made).Apply("sum"), "Tensor int64 []: -190");
    Expect("many results", ((Tensor[]) Call("unbind", "", Apply("arange", "", 20)))[19].Number(), 19);
    Expect("after a refused argument", Failing(() => Call("add", "", 1, new object())) + ", " + (x + x).Shape[0],
        "an operator has no argument of System.Object, 2");
    Expect("many results", ((object[]) Call("split", "", Apply("arange", "", 20), 1)).Length, 20);
    Expect("keywords of any type", x.Apply("sum", 0, ("keepdim", true)) + " " + x.Apply("add", x, ("alpha", 2)),
        "Tensor float32 [1, 2]: [[4, 6]] Tensor float32 [2, 2]: [[3, 6], [9, 12]]");
    Expect("what has a name only", Failing(() => Apply("zeros", "", 2, 3)).Split('.')[0],
        "TypeError: zeros() takes 1 positional argument(s) but 2 was/were given");
    Torch.ManualSeed(0);
    Expect("random numbers are torch's for the seed", Math.Round(Apply("rand", "", 1).ToDouble(), 6), 0.496257);
    Expect("dtypes", Apply("zeros", "", new[] { 2 }, ("dtype", (object) DType.Int16)), "Tensor int16 [2]: [0, 0]");
    Expect("equality", x.IsEqual(x.Apply("clone")) + " " + x.IsEqual(x + 1) + " " + x.Equals(x.Apply("clone")), "True False False");
    Expect("errors", Failing(() => (x + Tensor.Of(new float[3])).Dispose()),
        "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1");
    Expect("order", Failing(() => x.Apply("add", ("alpha", (object) 2), x)), "an argument by place follows one by name");
  }

  static void Indices() {
    Tensor y = Apply("arange", "", 24).Apply("reshape", new[] { 4, 6 });
    Expect("ranges", y[(1, 3), (0, 2)], "Tensor int64 [2, 2]: [[6, 7], [12, 13]]");
    Expect("open ranges", y[-1, (3, (object) null)], "Tensor int64 [3]: [21, 22, 23]");
    Expect("long ranges", y[(3L, 4L), (4, 100L)], "Tensor int64 [1, 2]: [[22, 23]]");
    Expect("lists", y[new[] { 3, 0 }, 1], "Tensor int64 [2]: [19, 1]");
    Expect("masks", y[y > 20], "Tensor int64 [3]: [21, 22, 23]");
    Expect("new dimensions", y[0, null].Shape[0], 1);
    y[0, (0, 2)] = Tensor.Of(new long[] { 9, 8 });
    y[new[] { 1, 2 }, new[] { 0, 0 }] = Tensor.Of(new long[] { -1, -2 });
    Expect("assignment", y[(0, 3), 0] + " " + y[0, 1].Number(), "Tensor int64 [3]: [9, -1, -2] 8");
  }

  static void Arrays() {
    Expect("digits of a float", Tensor.Of(new[] { 0.1f }) + " " + Tensor.Of(new[] { 0.1 }), "Tensor float32 [1]: [0.1] Tensor float64 [1]: [0.1]");
    Tensor complex = Apply("complex", "", Tensor.Of(new[] { 1.5f }), Tensor.Of(new[] { -2f }));
    Expect("a complex number", complex + " " + string.Join(", ", (double[]) complex.Number()), "Tensor complex64 [1]: [(1.5, -2)] 1.5, -2");
    Expect("text", Apply("arange", "", 2000), "Tensor int64 [2000]: [0, 1, 2, ..., 1997, 1998, 1999]");
    Expect("arrays", string.Join(" ", Tensor.Of(new double[] { 1, 2.5 }).ToArray<float>()), "1 2.5");
    Expect("dimensions", Tensor.Of(new float[,] { { 1, 2 }, { 3, 4 } }) + " " + Tensor.Of(new[,,] { { { 1 }, { 2 } } }) + " " + Tensor.Of(new bool[2, 0]),
        "Tensor float32 [2, 2]: [[1, 2], [3, 4]] Tensor int32 [1, 2, 1]: [[[1], [2]]] Tensor bool [2, 0]: [[], []]");
    Expect("dimensions of other things", Failing(() => Tensor.Of(new DateTime[1, 1])), "no dtype has elements of System.DateTime");
    Expect("spans", Tensor.Of(new Span<int>(new[] { 1, 2, 3, 4 }).Slice(1, 2)), "Tensor int32 [2]: [2, 3]");
    Expect("booleans", Tensor.Of(new[] { true, false }), "Tensor bool [2]: [True, False]");
    double[] target = new double[4];
    Tensor.Of(new long[] { 1, 2 }).CopyTo(new Span<double>(target, 1, 2));
    Expect("into a span", string.Join(" ", target), "0 1 2 0");
    Expect("no room", Failing(() => Tensor.Of(new long[4]).CopyTo(new Span<double>(target, 0, 3))),
        "ValueError: the tensor has 4 elements, and there is room for 3");
    Expect("wrong sizes", Failing(() => Tensor.Of(new float[3], 2, 2)), "ValueError: the sizes require 4 elements, and there are 3");
    Expect("empty", Tensor.Of(new float[0], 2, 0) + " " + Tensor.Of(new float[0], 0, 2), "Tensor float32 [2, 0]: [[], []] Tensor float32 [0, 2]: []");
    bool[] read = Tensor.Of(MemoryMarshal.Cast<byte, bool>(new byte[] { 2, 0, 255 })).ToArray<bool>();
    Expect("booleans of other bytes", string.Join(" ", MemoryMarshal.Cast<bool, byte>(read).ToArray()), "1 0 1");
    double[] million = new double[1000000];
    for (int i = 0; i < million.Length; ++i) million[i] = i;
    double[] copy = new double[million.Length];
    using (Tensor tensor = Tensor.Of(million)) tensor.CopyTo(new Span<double>(copy));
    Expect("a million doubles in and out", million.AsSpan().SequenceEqual(copy), true);
  }

  static void Kinds() {
    Tensor complex = Apply("complex", "", Tensor.Of(new double[] { 1.5 }), Tensor.Of(new double[] { -2 }));
    Expect("a complex number", string.Join(" ", (double[]) Call("_local_scalar_dense", "", complex)), "1.5 -2");
    Tensor wide = Tensor.Of(new long[] { -1, 7 }).Apply("to", DType.UInt64);
    Expect("unsigned numbers", wide + " " + wide.DType + " " + Call("_local_scalar_dense", "", wide[0]),
        "Tensor uint64 [2]: [18446744073709551615, 7] UInt64 18446744073709551615");
    Expect("narrow floats", Tensor.Of(new[] { 1.5f }).Apply("to", DType.Float8E5M2), "Tensor float8_e5m2 [1]: [1.5]");
  }

  static bool IsCollected(WeakReference reference) {
    for (int i = 0; i < 200 && reference.IsAlive; ++i) {
      GC.Collect();
      Thread.Sleep(10);
    }
    return !reference.IsAlive;
  }

  // Adds hooks that refer to an object each, from another thread: Mono's collector takes what is left on the stack for references.
  static WeakReference[] Watch(Tensor tensor, long[] ids) {
    WeakReference[] captured = new WeakReference[ids.Length];
    Thread thread = new Thread(() => {
      for (int i = 0; i < ids.Length; ++i) {
        byte[] kept = new byte[10];
        captured[i] = new WeakReference(kept);
        ids[i] = tensor.OnGradient(gradient => kept.Length == 10 ? gradient * 1 : null);
      }
    });
    thread.Start();
    thread.Join();
    return captured;
  }

  static void Hooks() {
    long[] ids = new long[8];
    Tensor w = Tensor.Of(new float[] { 1 });
    w.RequiresGrad = true;
    WeakReference[] removed = Watch(w, ids);
    GC.Collect();
    (2 * w).Apply("sum").Backward();
    Expect("hooks stay with their tensor", w.Grad + " " + removed.Count(hook => hook.IsAlive), "Tensor float32 [1]: [2] 8");
    foreach (long id in ids) capi.mt_tensor_remove_hook(w, id);
    Expect("removed hooks are collected", removed.Count(IsCollected) >= 7, true);
    ids[0] = w.OnGradient(gradient => {
      capi.mt_tensor_remove_hook(w, ids[0]);
      for (int i = 0; i < 3; ++i) GC.Collect();
      return gradient * 5;
    });
    (2 * w).Apply("sum").Backward();
    (2 * w).Apply("sum").Backward();
    Expect("a hook that removes itself", w.Grad, "Tensor float32 [1]: [14]");
    WeakReference[] dropped = Watch(w, ids);
    w.Dispose();
    Expect("the hooks of a disposed tensor are collected", dropped.Count(IsCollected) >= 7, true);
    Expect("no hook without gradients", Failing(() => Tensor.Of(new float[1]).OnGradient(gradient => null)),
        "RuntimeError: cannot register a hook on a tensor that doesn't require gradient");
  }

  static void Gradients() {
    Tensor w = Tensor.Of(new float[] { 1, 2 });
    w.RequiresGrad = true;
    w.OnGradient(gradient => gradient * 10);
    Tensor squares = w * w;
    squares.Apply("sum").Backward();
    Expect("gradient", w.Grad, "Tensor float32 [2]: [20, 40]");
    using (NoGrad()) Expect("no gradients", (w * 2).RequiresGrad, false);
    Expect("gradients again", (w * 2).RequiresGrad, true);
  }

  static void Scopes() {
    ulong before = (ulong) capi.allocator_get_stats().allocated_bytes;
    Tensor made, kept, inner;
    using (Scope scope = new Scope()) {
      made = Apply("ones", "", new[] { 1000000 });
      kept = scope.Keep(made + 1);
      using (Scope nested = new Scope()) inner = nested.Keep(made * 2);
      Expect("what an inner scope keeps", inner.IsDisposed, false);
    }
    Expect("scope", made.IsDisposed + " " + kept.IsDisposed + " " + inner.IsDisposed, "True False True");
    kept.Dispose();
    kept.Dispose();
    Expect("memory of a scope", (ulong) capi.allocator_get_stats().allocated_bytes < before + 100000, true);
    Expect("disposed", Failing(() => (kept + 1).Dispose()) + ", " + Failing(() => capi.tensor_sizes(kept)) + ", " + Failing(() => kept.ToArray<float>()),
        "Tensor is disposed, Tensor is disposed, Tensor is disposed");
    Expect("disposed in a list", Failing(() => Call("cat", "", (object) new[] { kept })), "Tensor is disposed");
    Expect("disposed text", kept, "Tensor disposed");
    Scope outer = new Scope(), last = new Scope();
    Expect("scopes in the wrong order", Failing(outer.Dispose), "an inner Scope is still open");
    last.Dispose();
    outer.Dispose();
    outer.Dispose();
  }

  static string Train() {
    using (new Scope()) {
      Tensor weight = Apply("zeros", "", new[] { 8, 1 });
      weight.RequiresGrad = true;
      Tensor inputs = Apply("arange", "", 800.0).Apply("reshape", new[] { 100, 8 }) / 800;
      for (int step = 0; step < 30; ++step) {
        weight.Grad = null;
        (inputs.MatMul(weight) - 1).Pow(2).Apply("mean").Backward();
        using (NoGrad()) weight.Apply("sub_", weight.Grad, ("alpha", (object) 0.1));
      }
      return weight.ToString();
    }
  }

  static void Files() {
    string path = System.IO.Path.GetTempFileName();
    Tensor weight = Tensor.Of(new float[] { 1, 2, 3, 4 }, 2, 2);
    foreach (bool asTorch in new[] { false, true }) {
      Save(path, new Dictionary<string, Tensor> { { "weight", weight } }, asTorch);
      Expect("a saved tensor, as torch: " + asTorch, Load(path)["weight"], weight);
    }
    System.IO.File.Delete(path);
    Expect("an absent file", Failing(() => Load(path)).StartsWith("RuntimeError: unable to open file"), true);
    string written = Environment.GetEnvironmentVariable("MINDTORCH_TORCH_CHECKPOINT");  // by tests/languages/torch_checkpoint.py
    if (string.IsNullOrEmpty(written)) return;
    var loaded = Load(written);
    Expect("a checkpoint of real torch", string.Join(" ", loaded.Keys.OrderBy(name => name, StringComparer.Ordinal)), "half model.bias model.weight");
    Expect("its elements", loaded["model.weight"] + " " + loaded["half"], "Tensor float32 [2, 3]: [[0, 1, 2], [3, 4, 5]] Tensor bfloat16 [2]: [1.5, -2]");
  }

  static void Threads() {
    string alone = Train();
    string[] found = new string[8];
    Thread[] threads = Enumerable.Range(0, 8).Select(i => new Thread(() => found[i] = Train())).ToArray();
    foreach (Thread thread in threads) thread.Start();
    foreach (Thread thread in threads) thread.Join();
    Expect("eight threads", string.Join("; ", found.Distinct()), alone);
  }

  public static int Main() {
    System.Globalization.CultureInfo.CurrentCulture = System.Globalization.CultureInfo.InvariantCulture;
    Operators();
    Indices();
    Arrays();
    Kinds();
    Hooks();
    Gradients();
    Scopes();
    Threads();
    Files();
    if (hasFailed) return 1;
    Console.WriteLine("as expected");
    return 0;
  }
}
