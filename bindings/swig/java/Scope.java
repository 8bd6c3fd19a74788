package org.mindtorch;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Closes what this thread made in it:
 *
 * <pre>{@code
 * try (Scope scope = new Scope()) {
 *   Tensor hidden = x.matmul(weight).relu();
 *   return scope.keep(hidden.matmul(other));  // hidden and the first product are closed
 * }
 * }</pre>
 *
 * Scopes nest; what is kept belongs to the enclosing scope. A scope must be closed on the thread that opened it.
 */
public final class Scope implements AutoCloseable {
  private static final ThreadLocal<Scope> innermost = new ThreadLocal<>();
  private final Scope enclosing = innermost.get();
  private final Thread thread = Thread.currentThread();
  private List<Handle> made = new ArrayList<>();
  private final Set<Handle> kept = Collections.newSetFromMap(new IdentityHashMap<>());

  public Scope() {
    innermost.set(this);
  }

  static void add(Handle handle) {
    Scope scope = innermost.get();
    if (scope != null) scope.made.add(handle);
  }

  /** Leaves the object open at the end of this scope, for the enclosing one. */
  public <T extends Handle> T keep(T handle) {
    if (made == null) throw new IllegalStateException("this Scope is closed");
    kept.add(handle);
    return handle;
  }

  @Override
  public void close() {
    if (made == null) return;
    if (thread != Thread.currentThread()) throw new IllegalStateException("a Scope must be closed on the thread that opened it");
    if (innermost.get() != this) throw new IllegalStateException("an inner Scope is still open");
    if (enclosing == null) innermost.remove();
    else innermost.set(enclosing);
    for (Handle handle : made) {
      if (!kept.contains(handle)) handle.close();
      else if (enclosing != null) enclosing.made.add(handle);
    }
    made = null;
  }
}
