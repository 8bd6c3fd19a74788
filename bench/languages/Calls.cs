using System;
using System.Diagnostics;
using MindTorch;

/// What calls from C# cost: prints `name seconds`, as calls.c does.
static class Calls {
  static void Measure(string name, int repeats, int rounds, Action call) {
    double best = double.PositiveInfinity;
    call();
    for (int round = 0; round < rounds; round++) {
      long begun = Stopwatch.GetTimestamp();
      for (int i = 0; i < repeats; i++) call();
      best = Math.Min(best, (Stopwatch.GetTimestamp() - begun) / (double) Stopwatch.Frequency / repeats);
    }
    Console.WriteLine(string.Format(System.Globalization.CultureInfo.InvariantCulture, "{0} {1:F9}", name, best));
  }

  static void Main() {
    Tensor a = Tensor.Of(new float[] { 1 }), b = Tensor.Of(new float[] { 1 });
    Tensor square = (Tensor) Torch.Apply("ones", "", new long[] { 1024, 1024 });
    var elements = new double[1000000];
    Tensor numbers = Tensor.Of(elements);
    Measure("add", 500, 400, () => a.Apply("add", b));
    Measure("add, by +", 500, 400, () => GC.KeepAlive(a + b));
    Measure("add, disposed", 500, 400, () => a.Apply("add", b).Dispose());
    Measure("mm", 1, 10, () => square.Apply("mm", square).Dispose());
    Measure("in", 1, 20, () => Tensor.Of(elements).Dispose());
    Measure("out", 1, 20, () => numbers.ToArray<double>());
    Measure("out, to an array", 1, 20, () => numbers.CopyTo<double>(elements));
  }
}
