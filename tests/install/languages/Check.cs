// What expected.txt and expected-hooks.txt list, in C#.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using MindTorch;
using static MindTorch.Torch;

public static class Check {
  static string Text(Tensor tensor) {
    return string.Join(" ", capi.tensor_to_doubles(tensor).Select(number => number.ToString("G6")));
  }
  static string Texts(object tensors, string between) {
    return string.Join(between, ((object[]) tensors).Cast<Tensor>().Select(Text));
  }
  static string Failing(Action action) {
    try {
      action();
      return "nothing";
    } catch (Error error) {
      return error.Kind + ": " + error.Message;
    }
  }
  static int Bit(bool on) { return on ? 1 : 0; }
  static void Fill() {
    for (int i = 0; i < 100; ++i) Apply("zeros", "", new long[] { 100000 });
  }

  public static void Main() {
    CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
    Tensor x = capi.tensor_from_doubles(new[] { 1, 2, 3, 4.5 }, new long[] { 4 }, capi.MT_FLOAT32);
    Console.WriteLine("cat " + Text(Apply("cat", "", new[] { x, x }, 0)));
    Console.WriteLine("max " + Texts(Call("max", "dim", x, 0), " "));
    Console.WriteLine("split " + Texts(Call("split", "Tensor", x, 2), " | "));
    Tensor twos = Apply("full", "", new long[] { 4 }, 2.0);
    Console.WriteLine("floor " + Text(Apply("div", "Tensor_mode", x, twos, ("rounding_mode", (object) "floor"))));
    Console.WriteLine("clamp " + Text(Apply("clamp", "", x, null, 3)));
    Tensor ends = capi.tensor_from_doubles(new double[] { 0, 3 }, new long[] { 2 }, capi.MT_INT64);
    Tensor pairs = Apply("stack", "", new[] { x, x }, 1);
    Console.WriteLine("index " + Text(Apply("index", "Tensor", pairs, new[] { ends, Apply("zeros_like", "", ends) })));
    Tensor zeros = Apply("zeros", "", new long[] { 2 }, ("dtype", (object) "float64"));
    Tensor again = Apply("zeros", "", new[] { 2 }, ("dtype", (object) capi.MT_FLOAT64));
    Console.WriteLine("dtypes " + capi.tensor_get_info(zeros).dtype + " " + Call("result_type", "Tensor", x, again));
    Console.WriteLine("equal " + Bit((bool) Call("equal", "", x, x)) + " " + Bit((bool) Call("equal", "", x, Apply("neg", "", x))));
    Console.WriteLine("empty " + Text(Apply("sum", "dim_IntList", x, new long[0], false)));
    mt_device device = capi.device_parse("npu:3");
    Console.WriteLine("device " + device.type + " " + device.index);
    Values values = new Values();
    values.add_int(9007199254740993);
    Console.WriteLine("whole " + values.get_int(0));
    Console.WriteLine("bytes " + string.Join(" ", Tensor.Of(new[] { 1.5, 2.5 }).ToArray<double>()));

    capi.tensor_set_requires_grad(x, 1);
    GradientQueue queue = new GradientQueue();
    queue.watch(x);
    capi.backward(Apply("sum", "", Apply("mul", "Tensor", x, x)));
    Console.WriteLine("gradient " + Text(capi.tensor_grad(x)));
    Console.WriteLine("seen " + Text(queue.poll()));
    Console.WriteLine("none " + Bit(queue.poll() == null && capi.tensor_grad(Apply("neg", "", x)) == null));

    Console.WriteLine("error " + Failing(() => Apply("add", "Tensor", x, Apply("ones", "", new long[] { 2 }))));
    Console.WriteLine("status " + Failing(() => capi.mt_tensor_set_requires_grad(ends, 1)));
    Console.WriteLine("index " + Failing(() => Apply("unsqueeze", "", x, 7)));
    Console.WriteLine("keyword " + Failing(() => Apply("zeros", "", new long[] { 2 }, ("dtyp", (object) 6))));
    Console.WriteLine("null " + Failing(() => capi.tensor_sizes(null)));
    ulong before = (ulong) capi.allocator_get_stats().allocated_bytes;
    Fill();
    GC.Collect();
    GC.WaitForPendingFinalizers();
    Console.WriteLine("released " + Bit((ulong) capi.allocator_get_stats().allocated_bytes < before + 10000000));

    Tensor y = capi.tensor_from_doubles(new[] { 1, 2, 3, 4.5 }, new long[] { 4 }, capi.MT_FLOAT32);
    capi.tensor_set_requires_grad(y, 1);
    OnGradient(y, gradient => Apply("mul", "Scalar", gradient, 2.0));
    capi.backward(Apply("sum", "", Apply("mul", "Tensor", y, y)));
    Console.WriteLine("replaced " + Text(capi.tensor_grad(y)));
    OnGradient(y, gradient => throw new Error("KeyError", "from the hook"));
    Console.WriteLine("hook " + Failing(() => capi.backward(Apply("sum", "", y))));
  }
}
