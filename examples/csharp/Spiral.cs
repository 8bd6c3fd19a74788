// Trains a network of two layers on three spirals through MindTorch's assembly for C#.
using System;
using System.Globalization;
using MindTorch;

public static class Spiral {
  const int Arms = 3, Points = 100, Hidden = 64, Steps = 400;

  static (Tensor, Tensor) MakeSpirals() {
    float[,] xy = new float[Arms * Points, 2];
    long[] labels = new long[Arms * Points];
    for (int arm = 0; arm < Arms; ++arm) {
      for (int i = 0; i < Points; ++i) {
        double radius = (i + 1.0) / Points;
        double angle = arm * 2 * Math.PI / Arms + 4 * radius + 0.1 * Math.Sin(37.0 * i);
        int row = arm * Points + i;
        xy[row, 0] = (float) (radius * Math.Cos(angle));
        xy[row, 1] = (float) (radius * Math.Sin(angle));
        labels[row] = arm;
      }
    }
    return (Tensor.Of(xy), Tensor.Of(labels));
  }

  static Tensor MakeParameter(string factory, long[] sizes, double scale = 1.0) {
    Tensor tensor = Torch.Apply(factory, "", sizes) * scale;
    tensor.RequiresGrad = true;
    return tensor;
  }

  static Tensor Forward(Tensor x, Tensor[] p) {
    return x.Apply("linear", p[0], p[1]).Apply("tanh").Apply("linear", p[2], p[3]);
  }

  static void Descend(Tensor[] parameters, double rate) {
    using (Torch.NoGrad()) {
      foreach (Tensor parameter in parameters) {
        parameter.Apply("add_", parameter.Grad, ("alpha", -rate));
        parameter.Grad = null;
      }
    }
  }

  static double Accuracy(Tensor logits, Tensor labels) {
    return logits.Apply("argmax", 1).Apply("eq", labels).Apply("sum").ToDouble() / labels.Numel;
  }

  public static void Main() {
    CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
    Console.WriteLine("mindtorch {0}, ABI {1}, {2} threads", capi.version(), capi.abi_version(), capi.threads_get());
    var (x, labels) = MakeSpirals();
    Torch.ManualSeed(7);
    Tensor[] parameters = { MakeParameter("randn", new long[] { Hidden, 2 }), MakeParameter("zeros", new long[] { Hidden }),
                            MakeParameter("randn", new long[] { Arms, Hidden }, 0.125), MakeParameter("zeros", new long[] { Arms }) };
    for (int step = 1; step <= Steps; ++step) {
      using (new Scope()) {
        Tensor logits = Forward(x, parameters);
        Tensor loss = logits.Apply("cross_entropy_loss", labels);
        loss.Backward();
        Descend(parameters, 1.0);
        if (step == 1 || step % 100 == 0) {
          Console.WriteLine("step {0}: loss {1:F6}, accuracy {2:F4}", step, loss.ToDouble(), Accuracy(logits, labels));
        }
      }
    }

    try {
      Console.WriteLine(x + labels);
    } catch (Error error) {
      Console.WriteLine(error.Kind + ": " + error.Message);
    }
  }
}
