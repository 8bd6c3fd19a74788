// Runs the collector when tensors, of which it only sees small objects, use much more memory than after its last run.
// (GC.AddMemoryPressure would do in .NET; Mono accepts its numbers and does nothing with them.)
using System;
using System.Threading;

namespace MindTorch {

  static class Memory {
    static readonly object collecting = new object();

    internal static void Check() {
      if (capiPINVOKE.memory_is_high()) Collect();
    }

    internal static void Collect() {
      lock (collecting) {
        if (!capiPINVOKE.memory_is_high()) return;  // another thread has collected
        GC.Collect();
        // Finalizers release what was collected, on their own thread: done when nothing changes any more. To wait for all
        // finalizers could wait for ever for one that needs a lock of this thread's.
        long before = long.MaxValue;
        for (int i = 0; i < 100 && capiPINVOKE.memory_in_use() < before; ++i) {
          before = capiPINVOKE.memory_in_use();
          Thread.Sleep(i == 0 ? 5 : 1);
        }
        capiPINVOKE.memory_settle();
      }
    }
  }
}
