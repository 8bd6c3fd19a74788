"""torch._dispatch: kernels of Python for single keys of the dispatcher."""
