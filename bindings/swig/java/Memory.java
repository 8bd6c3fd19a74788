package org.mindtorch;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Runs Java's collector when tensors, of which it only sees small objects, use much more memory than after its last run. */
final class Memory {
  private Memory() {}

  static void check() {
    if (capiJNI.memory_is_high()) collect();
  }

  private static synchronized void collect() {
    if (!capiJNI.memory_is_high()) return;  // another thread has collected
    try {
      CountDownLatch cleaned = new CountDownLatch(1);
      Handle.onceCleaned(new Object(), cleaned::countDown);
      System.gc();
      // The cleaner's thread releases what was collected, in any order: done when nothing changes any more. It may also never
      // begin, under -XX:+DisableExplicitGC.
      if (cleaned.await(200, TimeUnit.MILLISECONDS)) {
        long before = Long.MAX_VALUE;
        for (int i = 0; i < 100 && capiJNI.memory_in_use() < before; ++i) {
          before = capiJNI.memory_in_use();
          Thread.sleep(1);
        }
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    capiJNI.memory_settle();
  }
}
