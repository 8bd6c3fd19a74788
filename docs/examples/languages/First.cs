// An operator, a gradient and an error through MindTorch's assembly for C#.
using System;
using MindTorch;

public static class First {
  static void Show(string name, Tensor tensor) {
    Console.WriteLine(name + " " + string.Join(" ", tensor.ToArray<long>()));
  }

  public static void Main() {
    Tensor x = Tensor.Of(new float[] { 1, 2, 3 });
    Tensor y = Tensor.Of(new float[] { 4, 5, 6 });
    Show("sum", x + y);

    x.RequiresGrad = true;
    x.Pow(2).Apply("sum").Backward();
    Show("gradient", x.Grad);

    try {
      Show("sum", x + Torch.Apply("ones", "", 2));
    } catch (Error error) {
      Console.WriteLine(error.Kind + ": " + error.Message);
    }
  }
}
