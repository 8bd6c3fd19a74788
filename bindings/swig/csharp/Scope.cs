// Disposes of what this thread made in it: using (var scope = new Scope()) { ...; return scope.Keep(result); }
using System;
using System.Collections.Generic;

namespace MindTorch {

  // Scopes nest; what is kept belongs to the enclosing scope. A scope must be disposed of on the thread that made it.
  public sealed class Scope : IDisposable {
    [ThreadStatic] static Scope innermost;
    readonly Scope enclosing = innermost;
    readonly int thread = Environment.CurrentManagedThreadId;
    List<IDisposable> made = new List<IDisposable>();
    readonly HashSet<IDisposable> kept = new HashSet<IDisposable>();

    public Scope() { innermost = this; }

    internal static void Add(IDisposable handle) {
      if (innermost != null) innermost.made.Add(handle);
    }

    // Leaves the object open at the end of this scope, for the enclosing one.
    public T Keep<T>(T handle) where T : IDisposable {
      if (made == null) throw new ObjectDisposedException(nameof(Scope));
      kept.Add(handle);
      return handle;
    }

    public void Dispose() {
      if (made == null) return;
      if (thread != Environment.CurrentManagedThreadId) {
        throw new InvalidOperationException("a Scope must be disposed of on the thread that made it");
      }
      if (innermost != this) throw new InvalidOperationException("an inner Scope is still open");
      innermost = enclosing;
      foreach (IDisposable handle in made) {
        if (!kept.Contains(handle)) handle.Dispose();
        else if (enclosing != null) enclosing.made.Add(handle);
      }
      made = null;
    }
  }
}
