package org.mindtorch;

import java.lang.ref.Cleaner;
import java.util.function.LongConsumer;

/** An object of the library: a tensor, a storage, a node. The collector releases it some time, {@link #close} does at once. */
public abstract class Handle implements AutoCloseable {
  private static final Cleaner cleaner = Cleaner.create();
  private final Pointer pointer;
  private final Cleaner.Cleanable release;

  /** What the cleaner keeps: it must not refer to the handle. */
  private static final class Pointer implements Runnable {
    private volatile long address;
    private final LongConsumer release;

    Pointer(long address, LongConsumer release) {
      this.address = address;
      this.release = release;
    }

    @Override
    public void run() {
      long last = address;
      address = 0;
      release.accept(last);
    }
  }

  Handle(long address, boolean isOwner, LongConsumer release) {
    pointer = new Pointer(address, release);
    this.release = isOwner ? cleaner.register(this, pointer) : () -> pointer.address = 0;
    if (isOwner) {
      Scope.add(this);
      Memory.check();
    }
  }

  /**
   * Releases the object's memory now, unless other objects use it. Closing twice is harmless; any other use of a closed object
   * throws an IllegalStateException. Do not close an object while another thread uses it.
   */
  @Override
  public void close() {
    release.clean();
  }

  public boolean isClosed() {
    return pointer.address == 0;
  }

  final long address() {
    long address = pointer.address;
    if (address == 0) throw new IllegalStateException("this " + getClass().getSimpleName() + " is closed");
    return address;
  }

  static void onceCleaned(Object unreachable, Runnable action) {
    cleaner.register(unreachable, action);
  }
}
