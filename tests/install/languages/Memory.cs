// Drops 200 tensors of 40 MB with views, and 50 graphs that keep as much each; prints the process's peak in MB.
using System;
using System.IO;
using System.Linq;
using MindTorch;
using static MindTorch.Torch;

public static class Memory {
  public static void Main() {
    for (int i = 0; i < 200; ++i) {
      Tensor tensor = Apply("ones", "", new[] { 10000000 });
      Apply("narrow", "", tensor, 0, 0, 10);
    }
    Tensor leaf = Apply("ones", "", new[] { 10000000 });
    capi.tensor_set_requires_grad(leaf, 1);
    for (int i = 0; i < 50; ++i) Apply("sum", "", Apply("exp", "", leaf));
    string peak = File.ReadLines("/proc/self/status").First(line => line.StartsWith("VmHWM"));
    Console.WriteLine(long.Parse(new string(peak.Where(char.IsDigit).ToArray())) / 1024);
  }
}
