// Trains a network of two layers on three spirals through MindTorch's assembly for C#, SWIG's wrapper of the C ABI.
using System;
using System.Collections.Generic;
using System.Globalization;
using MindTorch;
using static MindTorch.Torch;

public static class Spiral {
  const int Arms = 3, Points = 100, Hidden = 64, Steps = 400;

  static Tensor[] MakeSpirals() {
    List<double> xy = new List<double>(), labels = new List<double>();
    for (int arm = 0; arm < Arms; ++arm) {
      for (int i = 0; i < Points; ++i) {
        double radius = (i + 1.0) / Points;
        double angle = arm * 2 * Math.PI / Arms + 4 * radius + 0.1 * Math.Sin(37.0 * i);
        xy.Add(radius * Math.Cos(angle));
        xy.Add(radius * Math.Sin(angle));
        labels.Add(arm);
      }
    }
    long count = Arms * Points;
    return new[] { capi.tensor_from_doubles(xy, new long[] { count, 2 }, capi.MT_FLOAT32),
                   capi.tensor_from_doubles(labels, new[] { count }, capi.MT_INT64) };
  }

  static Tensor MakeParameter(string factory, long[] sizes, double scale = 1.0) {
    Tensor tensor = Apply("mul", "Scalar", Apply(factory, "", sizes), scale);
    capi.tensor_set_requires_grad(tensor, 1);
    return tensor;
  }

  static Tensor Forward(Tensor x, Tensor[] p) {
    Tensor hidden = Apply("tanh", "", Apply("linear", "", x, p[0], p[1]));
    return Apply("linear", "", hidden, p[2], p[3]);
  }

  static void Descend(Tensor[] parameters, double rate) {
    capi.mode_set(capi.MT_MODE_GRAD, 0);
    foreach (Tensor parameter in parameters) {
      Apply("add_", "Tensor", parameter, capi.tensor_grad(parameter), ("alpha", (object) -rate));
      capi.tensor_set_grad(parameter, null);
    }
    capi.mode_set(capi.MT_MODE_GRAD, 1);
  }

  static double Accuracy(Tensor logits, Tensor labels) {
    Tensor hits = Apply("eq", "Tensor", Apply("argmax", "", logits, 1), labels);
    return capi.tensor_item(Apply("sum", "", hits)) / (Arms * Points);
  }

  public static void Main() {
    CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
    Console.WriteLine("mindtorch {0}, ABI {1}, {2} threads", capi.version(), capi.abi_version(), capi.threads_get());
    Tensor[] data = MakeSpirals();
    capi.generator_seed(capi.generator_default(), 7);
    Tensor[] parameters = { MakeParameter("randn", new long[] { Hidden, 2 }), MakeParameter("zeros", new long[] { Hidden }),
                            MakeParameter("randn", new long[] { Arms, Hidden }, 0.125), MakeParameter("zeros", new long[] { Arms }) };
    for (int step = 1; step <= Steps; ++step) {
      Tensor logits = Forward(data[0], parameters);
      Tensor loss = Apply("cross_entropy_loss", "", logits, data[1]);
      capi.backward(loss);
      Descend(parameters, 1.0);
      if (step == 1 || step % 100 == 0) {
        Console.WriteLine("step {0}: loss {1:F6}, accuracy {2:F4}", step, capi.tensor_item(loss), Accuracy(logits, data[1]));
      }
    }

    try {
      Apply("add", "Tensor", data[0], data[1]);
    } catch (Error error) {
      Console.WriteLine(error.Kind + ": " + error.Message);
    }
  }
}
