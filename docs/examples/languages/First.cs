// An operator, a gradient and an error through MindTorch's assembly for C#.
using System;
using System.Globalization;
using System.Linq;
using MindTorch;
using static MindTorch.Torch;

public static class First {
  static void Show(string name, Tensor tensor) {
    Console.WriteLine(name + " " + string.Join(" ", capi.tensor_to_doubles(tensor).Select(number => number.ToString())));
  }

  public static void Main() {
    CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
    Tensor x = capi.tensor_from_doubles(new[] { 1.0, 2.0, 3.0 }, new long[] { 3 }, capi.MT_FLOAT32);
    Tensor y = capi.tensor_from_doubles(new[] { 4.0, 5.0, 6.0 }, new long[] { 3 }, capi.MT_FLOAT32);
    Show("sum", Apply("add", "Tensor", x, y, ("alpha", (object) 1)));

    capi.tensor_set_requires_grad(x, 1);
    capi.backward(Apply("sum", "", Apply("mul", "Tensor", x, x)));
    Show("gradient", capi.tensor_grad(x));

    try {
      Apply("add", "Tensor", x, Apply("ones", "", new long[] { 2 }));
    } catch (Error error) {
      Console.WriteLine(error.Kind + ": " + error.Message);
    }
  }
}
