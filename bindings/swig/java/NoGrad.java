package org.mindtorch;

/** A scope in which this thread records no gradients: {@code try (NoGrad off = new NoGrad()) { ... }}. */
public final class NoGrad implements AutoCloseable {
  private final int before = capi.mode_get(capiConstants.MT_MODE_GRAD);

  public NoGrad() {
    capi.mode_set(capiConstants.MT_MODE_GRAD, 0);
  }

  @Override
  public void close() {
    capi.mode_set(capiConstants.MT_MODE_GRAD, before);
  }
}
